import Joi from 'joi';

import { algorithms, scopeToken, trustedUrl } from './auth';
import type { AuthConfig } from './auth';
import { patternMessages } from './messages';
import { siteOf, siteSettings } from './site';
import type { SiteConfig } from './site';

/** All settings, validated and frozen. */
export interface Config {
    readonly host: string;
    /** TCP port; 0 lets the system choose. */
    readonly port: number;
    /** URL of any PostgreSQL >= 14; null starts the embedded one in `dataDir`. */
    readonly databaseUrl: string | null;
    /** A streaming replica of `databaseUrl`, from which public lists may be read; null if there is none. */
    readonly databaseReplicaUrl: string | null;
    /** Folder of the embedded database. */
    readonly dataDir: string;
    /** Connections of one process to the database. */
    readonly databasePool: number;
    /** Time limit of a statement in milliseconds. */
    readonly databaseTimeout: number;
    /** Number of worker processes. */
    readonly workers: number;
    /** Milliseconds that an instance goes on serving after SIGTERM, while /ready says that it stops. */
    readonly shutdownDelay: number;
    /** Requests that one process works on at a time; further ones are 503. */
    readonly maxRequests: number;
    /** Event streams that one process holds open at a time; further ones are 503. */
    readonly maxStreams: number;
    readonly logLevel: string;
    readonly metricsHost: string;
    /** Where Prometheus reads metrics; null turns them off. */
    readonly metricsPort: number | null;
    /** Stored with each project as its `version`. */
    readonly apiVersion: string;
    /** If empty, the most used tags of featured projects. */
    readonly featuredTags: readonly string[];
    /** Default lifetime of a token in seconds. */
    readonly tokenTtl: number;
    /** days that every point of a history is kept; older ones are thinned out */
    readonly historyDays: number;
    /** most bytes of a zip that is imported */
    readonly maxImportBytes: number;
    /** most bytes of a project's history */
    readonly historyMaxBytes: number;
    /** days that what was removed can be restored */
    readonly trashDays: number;
    /** where the bytes of assets are: null for a folder in `dataDir`, or the URL of a bucket */
    readonly assetsUrl: string | null;
    /** most bytes of an asset */
    readonly maxAssetBytes: number;
    /** most bytes of all assets that one user has sent */
    readonly assetQuota: number;
    /** where clients reach the service, without a slash at the end; null for where a request came to */
    readonly publicUrl: string | null;
    /** Milliseconds that responses of public lists are cached; 0 turns the cache off. */
    readonly listMaxAge: number;
    /** Who may open an account: anybody, nobody, or those who have an invitation code. */
    readonly signUp: 'open' | 'closed' | 'invite';
    readonly rateLimit: boolean;
    /** How many reverse proxies in front are trusted to append to X-Forwarded-For. */
    readonly trustedProxies: number;
    /** The pages that people look at; null for the API alone. */
    readonly site: SiteConfig | null;
    /** whether this instance draws thumbnails of projects whose authors have sent none */
    readonly thumbnails: boolean;
    readonly auth: AuthConfig;
}

/** All errors of the settings. */
export class ConfigError extends Error {
    readonly faults: readonly string[];

    constructor(faults: readonly string[]) {
        super(`The configuration has ${faults.length} error(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
        this.name = 'ConfigError';
        this.faults = faults;
    }
}

/** Seconds in the longest life a token may be given: a year. */
export const MAX_TOKEN_TTL = 365 * 24 * 3600;

/** A setting that is only needed with an external provider. */
const external = (schema: Joi.Schema, ...providers: string[]): Joi.Schema => schema.when('AUTH_PROVIDER', { is: Joi.valid(...providers), then: Joi.required() })
    .messages({ 'any.required': `{{#label}} is needed with AUTH_PROVIDER=${providers.join(' or ')}. .env.example says what it is` });

/** Maximum of the cache time in milliseconds, as a replica may lag too. */
const MAX_LIST_AGE_WITH_REPLICA = 2000;

const postgresUrl = Joi.string().uri({ scheme: ['postgres', 'postgresql'] }).messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as postgres://name:password@host/database' });

/** A bucket, and where in it: `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-1`. */
const bucketUrl = Joi.string().pattern(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9!_.*'()/-]*)?(?:\?[^#\s]*)?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the URL of a bucket, such as s3://pictures/school?region=eu-central-1' });

const settings = Joi.object<Record<string, string | number | undefined>>({
    HOST: Joi.string().hostname().default('127.0.0.1'),
    PORT: Joi.number().integer().min(0).max(65535).default(3000),
    DATABASE_URL: postgresUrl,
    DATABASE_REPLICA_URL: postgresUrl.when('DATABASE_URL', { not: Joi.exist(), then: Joi.forbidden() }).messages({ 'any.unknown': '{{#label}} needs DATABASE_URL, of which it is a replica' }),
    DATA_DIR: Joi.string().default('.data'),
    DATABASE_POOL: Joi.number().integer().min(1).max(1000).default(10),
    DATABASE_TIMEOUT: Joi.number().integer().min(1000).max(600_000).default(30_000),
    WEB_CONCURRENCY: Joi.number().integer().min(1).max(64).default(1),
    SHUTDOWN_DELAY: Joi.number().integer().min(0).max(30_000).default(0),
    MAX_REQUESTS: Joi.number().integer().min(1).max(100_000).default(500),
    MAX_STREAMS: Joi.number().integer().min(1).max(100_000).default(5000),
    LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    METRICS_HOST: Joi.string().hostname().default('127.0.0.1'),
    METRICS_PORT: Joi.number().integer().min(0).max(65535),
    API_VERSION: Joi.string().min(1).max(32).default('1'),
    FEATURED_TAGS: Joi.string().pattern(/^[\p{L}\p{M}\p{N}_]+(?: *, *[\p{L}\p{M}\p{N}_]+)*$/u).messages({ 'string.pattern.base': '{{#label}} must be tags with commas between them' }).default(''),
    HISTORY_DAYS: Joi.number().integer().min(1).max(3650).default(30),
    HISTORY_MAX_MIB: Joi.number().integer().min(1).max(65_536).default(256),
    MAX_IMPORT_MIB: Joi.number().integer().min(1).max(4096).default(100),
    TRASH_DAYS: Joi.number().integer().min(1).max(3650).default(30),
    ASSETS_URL: bucketUrl,
    MAX_ASSET_MIB: Joi.number().integer().min(1).max(100).default(10),
    ASSET_QUOTA_MIB: Joi.number().integer().min(1).max(1_048_576).default(500),
    PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }).max(512).custom((value: string) => (value.endsWith('/') ? value.slice(0, -1) : value))
        .messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as https://pages.example' }),
    TOKEN_TTL: Joi.number().integer().min(1).max(MAX_TOKEN_TTL).default(30 * 24 * 3600),
    // A list may lag by 5 seconds, and reading it takes some of them.
    LIST_MAX_AGE: Joi.number().integer().min(0).max(4000).default(1000)
        .when('DATABASE_REPLICA_URL', { is: Joi.exist(), then: Joi.number().max(MAX_LIST_AGE_WITH_REPLICA) }),
    SIGN_UP: Joi.string().valid('open', 'closed', 'invite').default('open'),
    RATE_LIMIT: Joi.string().valid('on', 'off').default('on'),
    TRUSTED_PROXIES: Joi.number().integer().min(0).max(16).default(0),
    SITE: Joi.string().valid('on', 'off').default('on'),
    THUMBNAILS: Joi.string().valid('on', 'off').default('on'),
    ...siteSettings,
    AUTH_PROVIDER: Joi.string().valid('local', 'jwt', 'introspection').default('local'),
    AUTH_ISSUER: external(trustedUrl.max(512), 'jwt', 'introspection'),
    AUTH_AUDIENCE: external(Joi.string().max(512), 'jwt', 'introspection'),
    AUTH_SCOPE_USER: scopeToken.default('user'),
    AUTH_SCOPE_PROJECTS: scopeToken.default('projects'),
    AUTH_LEEWAY: Joi.number().integer().min(0).max(300).default(30),
    AUTH_TIMEOUT: Joi.number().integer().min(100).max(30_000).default(3000),
    AUTH_ALGORITHMS: algorithms.default('RS256,PS256,ES256,EdDSA'),
    AUTH_INTROSPECTION_URL: external(trustedUrl, 'introspection'),
    AUTH_CLIENT_ID: external(Joi.string(), 'introspection'),
    AUTH_CLIENT_SECRET: external(Joi.string(), 'introspection'),
    AUTH_CACHE_TTL: Joi.number().integer().min(0).max(300).default(10)
}).unknown();

/** The names of all variables, as `.env.example` has to list them. */
export const variables: readonly string[] = Object.keys(settings.describe().keys);

/**
 * Reads the environment. A variable that is set but empty counts as not set, as in `.env.example`.
 * @param faults what is wrong with files that variables name
 * @throws ConfigError naming every variable that is wrong, and how.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, faults: readonly string[] = []): Config {
    const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
    const { value, error } = settings.validate(given, { abortEarly: false, errors: { wrap: { label: false } }, messages: patternMessages });
    const wrong = [...error?.details.map(({ type, message, context }) => (type === 'any.required' ? message : `${message} (it is ${shown(context)})`)) ?? [], ...faults];
    if (wrong.length > 0) {
        throw new ConfigError(wrong);
    }

    return Object.freeze({
        host: String(value.HOST),
        port: Number(value.PORT),
        databaseUrl: value.DATABASE_URL === undefined ? null : String(value.DATABASE_URL),
        databaseReplicaUrl: value.DATABASE_REPLICA_URL === undefined ? null : String(value.DATABASE_REPLICA_URL),
        dataDir: String(value.DATA_DIR),
        databasePool: Number(value.DATABASE_POOL),
        databaseTimeout: Number(value.DATABASE_TIMEOUT),
        workers: Number(value.WEB_CONCURRENCY),
        shutdownDelay: Number(value.SHUTDOWN_DELAY),
        maxRequests: Number(value.MAX_REQUESTS),
        maxStreams: Number(value.MAX_STREAMS),
        logLevel: String(value.LOG_LEVEL),
        metricsHost: String(value.METRICS_HOST),
        metricsPort: value.METRICS_PORT === undefined ? null : Number(value.METRICS_PORT),
        apiVersion: String(value.API_VERSION),
        featuredTags: Object.freeze(String(value.FEATURED_TAGS).split(',').map((tag) => tag.trim().toLowerCase().normalize('NFC')).filter(Boolean)),
        historyDays: Number(value.HISTORY_DAYS),
        historyMaxBytes: Number(value.HISTORY_MAX_MIB) * 1024 * 1024,
        maxImportBytes: Number(value.MAX_IMPORT_MIB) * 1024 * 1024,
        trashDays: Number(value.TRASH_DAYS),
        assetsUrl: value.ASSETS_URL === undefined ? null : String(value.ASSETS_URL),
        maxAssetBytes: Number(value.MAX_ASSET_MIB) * 1024 * 1024,
        assetQuota: Number(value.ASSET_QUOTA_MIB) * 1024 * 1024,
        publicUrl: value.PUBLIC_URL === undefined ? null : String(value.PUBLIC_URL),
        tokenTtl: Number(value.TOKEN_TTL),
        listMaxAge: Number(value.LIST_MAX_AGE),
        signUp: value.SIGN_UP === 'closed' || value.SIGN_UP === 'invite' ? value.SIGN_UP : 'open',
        rateLimit: value.RATE_LIMIT === 'on',
        trustedProxies: Number(value.TRUSTED_PROXIES),
        thumbnails: value.THUMBNAILS === 'on',
        site: value.SITE === 'off' ? null : Object.freeze(siteOf(value)),
        auth: Object.freeze(authOf(value))
    });
}

function authOf(value: Readonly<Record<string, string | number | undefined>>): AuthConfig {
    const provider = {
        issuer: String(value.AUTH_ISSUER),
        audience: String(value.AUTH_AUDIENCE),
        scopes: Object.freeze({ user: String(value.AUTH_SCOPE_USER), projects: String(value.AUTH_SCOPE_PROJECTS) }),
        leeway: Number(value.AUTH_LEEWAY),
        timeout: Number(value.AUTH_TIMEOUT)
    };
    switch (value.AUTH_PROVIDER) {
        case 'jwt':
            return { provider: 'jwt', ...provider, algorithms: Object.freeze(String(value.AUTH_ALGORITHMS).split(',')) };
        case 'introspection':
            return {
                provider: 'introspection',
                ...provider,
                url: String(value.AUTH_INTROSPECTION_URL),
                clientId: String(value.AUTH_CLIENT_ID),
                clientSecret: String(value.AUTH_CLIENT_SECRET),
                cacheTtl: Number(value.AUTH_CACHE_TTL)
            };
        default:
            return { provider: 'local' };
    }
}

/** Values that may contain a password are never shown. */
function shown(context: Joi.Context | undefined): string {
    return /_URL$|SECRET/.test(String(context?.key)) ? 'not shown' : JSON.stringify(context?.value);
}
