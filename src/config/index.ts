import Joi from 'joi';

import { MAX_TOKEN_TTL } from '../limits';
import { authOf, authSettings } from './auth';
import { mailOf, mailSettings } from './mail';
import { patternMessages } from './messages';
import { PUBLIC, isNetwork } from './networks';
import { signInOf, signInSettings } from './sign-in';
import { siteOf, siteSettings } from './site';
import { choice } from './values';
import type { Values } from './values';
import { WrongSettings } from './wrong-settings';

/** All errors of the settings. */
export class ConfigError extends WrongSettings {
    readonly faults: readonly string[];

    constructor(faults: readonly string[]) {
        super(`The configuration has ${faults.length} error(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
        this.name = 'ConfigError';
        this.faults = faults;
    }
}

/** Maximum of the cache time in milliseconds, as a replica may lag too. */
const MAX_LIST_AGE_WITH_REPLICA = 2000;

const MIB = 1024 * 1024;

/** A number of MiB, read as bytes. */
const mebibytes = (most: number, usual: number): Joi.NumberSchema<number> => {
    return Joi.number().integer().min(1).max(most).custom((value: number) => value * MIB).default(usual * MIB);
};

const postgresUrl = Joi.string<string | null>().uri({ scheme: ['postgres', 'postgresql'] }).messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as postgres://name:password@host/database' }).default(null);

/** A bucket, and where in it: `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-1`. */
const bucketUrl = Joi.string<string | null>().pattern(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9!_.*'()/-]*)?(?:\?[^#\s]*)?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be the URL of a bucket, such as s3://pictures/school?region=eu-central-1' }).default(null);

const onOff = choice('on', 'off').default('on');

const tagsOf = (text: string): readonly string[] => text.split(',').map((tag) => tag.trim().toLowerCase().normalize('NFC'));

/**
 * The address without a slash at the end; undefined if it has more than scheme, host and port. Links and the policies of browsers begin at
 * the root.
 */
const originOf = (value: string): string | undefined => {
    const url = value.endsWith('/') ? value.slice(0, -1) : value;
    return /^https?:\/\/[^/?#@]+$/i.test(url) ? url : undefined;
};

/** Where webhooks may be sent to; undefined if it is not that. */
const receiversOf = (text: string): readonly string[] | undefined => {
    const names = text.split(',').map((name) => name.trim());
    return names.every((name) => name === PUBLIC || isNetwork(name)) ? names : undefined;
};

/** All variables, with their schemas and defaults, from which the types of the settings follow. */
const schemas = {
    HOST: Joi.string().hostname().default('127.0.0.1'),
    PORT: Joi.number().integer().min(0).max(65535).default(3000),
    DATABASE_URL: postgresUrl,
    DATABASE_REPLICA_URL: postgresUrl.when('DATABASE_URL', { is: null, then: Joi.forbidden() }).messages({
        'any.unknown': '{{#label}} needs DATABASE_URL, of which it is a replica'
    }),
    DATABASE_DIRECT_URL: postgresUrl.when('DATABASE_URL', { is: null, then: Joi.forbidden() }).messages({
        'any.unknown': '{{#label}} needs DATABASE_URL, whose database it leads to'
    }),
    DATA_DIR: Joi.string().default('.data'),
    DATABASE_POOL: Joi.number().integer().min(1).max(1000).default(10),
    DATABASE_TIMEOUT: Joi.number().integer().min(1000).max(600_000).default(30_000),
    WEB_CONCURRENCY: Joi.number().integer().min(1).max(64).default(1),
    SHUTDOWN_DELAY: Joi.number().integer().min(0).max(30_000).default(0),
    MAX_REQUESTS: Joi.number().integer().min(1).max(100_000).default(500),
    MAX_STREAMS: Joi.number().integer().min(1).max(100_000).default(5000),
    LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    METRICS_HOST: Joi.string().hostname().default('127.0.0.1'),
    METRICS_PORT: Joi.number<number | null>().integer().min(0).max(65535).default(null),
    OTEL_EXPORTER_OTLP_ENDPOINT: Joi.string<string | null>().uri({ scheme: ['http', 'https'] }).max(512).default(null),
    API_VERSION: Joi.string().min(1).max(32).default('1'),
    FEATURED_TAGS: Joi.string<readonly string[]>().pattern(/^[\p{L}\p{M}\p{N}_]+(?: *, *[\p{L}\p{M}\p{N}_]+)*$/u).custom(tagsOf).default([])
        .messages({ 'string.pattern.base': '{{#label}} must be tags with commas between them' }),
    HISTORY_DAYS: Joi.number().integer().min(1).max(3650).default(30),
    HISTORY_MAX_MIB: mebibytes(65_536, 256),
    MAX_IMPORT_MIB: mebibytes(4096, 100),
    TRASH_DAYS: Joi.number().integer().min(1).max(3650).default(30),
    ASSETS_URL: bucketUrl,
    MAX_ASSET_MIB: mebibytes(100, 10),
    ASSET_QUOTA_MIB: mebibytes(1_048_576, 500),
    PUBLIC_URL: Joi.string<string | null>().uri({ scheme: ['http', 'https'] }).max(512).custom((value: string, helpers) => originOf(value) ?? helpers.error('path')).default(null)
        .messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as https://pages.example', path: '{{#label}} must have nothing after the host and the port, such as https://pages.example: the service needs a host name of its own' }),
    TOKEN_TTL: Joi.number().integer().min(1).max(MAX_TOKEN_TTL).default(30 * 24 * 3600),
    // A list may lag by 5 seconds, and reading it takes some of them.
    LIST_MAX_AGE: Joi.number().integer().min(0).max(4000).default(1000)
        .when('DATABASE_REPLICA_URL', { is: null, otherwise: Joi.number().max(MAX_LIST_AGE_WITH_REPLICA) }),
    SIGN_UP: choice('open', 'closed', 'invite').default('open'),
    APP_REGISTRATION: choice('accounts', 'open').default('accounts'),
    MODERATORS_NEED: choice('sign_in', 'passkey').default('sign_in').when('AUTH_PROVIDER', { not: 'local', then: Joi.valid('sign_in') }),
    TEACHERS: choice('granted', 'open').default('granted'),
    HOLD_AFTER: Joi.number<number | null>().integer().min(2).max(1000).default(null),
    RATE_LIMIT: onOff,
    TRUSTED_PROXIES: Joi.number().integer().min(0).max(16).default(0),
    SITE: onOff,
    THUMBNAILS: onOff,
    WEBHOOKS_TO: Joi.string<readonly string[]>().custom((value: string, helpers) => receiversOf(value) ?? helpers.error('receivers')).default([PUBLIC])
        .messages({ receivers: '{{#label}} must be "public", networks such as 10.0.0.0/8, or both, with commas between them' }),
    BLOCKED_WORDS: Joi.string<string | null>().default(null),
    SCAN_URL: Joi.string<string | null>().pattern(/^https?:\/\/[^/?#@\s]+(?:[/?][^#\s]*)?$/i).custom((value: string, helpers) => (URL.canParse(value) ? value : helpers.error('string.pattern.base'))).default(null)
        .messages({ 'string.pattern.base': '{{#label}} must be the URL of a scanner, without a name and password, such as http://127.0.0.1:9000/scan' }),
    LOOK_FIRST: choice('nobody', 'new').default('nobody'),
    LOOK_DAYS: Joi.number().integer().min(1).max(365).default(7),
    ...mailSettings,
    ...siteSettings,
    ...authSettings,
    ...signInSettings
};

const settings = Joi.object<Values<typeof schemas>>(schemas).unknown();

/** The names of all variables, as `.env.example` has to list them. */
export const variables: readonly string[] = Object.keys(schemas);

/** All settings, validated and frozen. */
export type Config = ReturnType<typeof configOf>;

const configOf = (value: Values<typeof schemas>) => Object.freeze({
    host: value.HOST,
    /** TCP port; 0 lets the system choose. */
    port: value.PORT,
    /** URL of any PostgreSQL >= 14; null starts the embedded one in `dataDir`. */
    databaseUrl: value.DATABASE_URL,
    /** A streaming replica of `databaseUrl`, from which public lists may be read; null if there is none. */
    databaseReplicaUrl: value.DATABASE_REPLICA_URL,
    /** URL of `databaseUrl`'s database without a pooler in between, for backups; null if there is no pooler. */
    databaseDirectUrl: value.DATABASE_DIRECT_URL,
    /** Folder of the embedded database. */
    dataDir: value.DATA_DIR,
    /** Connections of one process to the database. */
    databasePool: value.DATABASE_POOL,
    /** Time limit of a statement in milliseconds. */
    databaseTimeout: value.DATABASE_TIMEOUT,
    /** Number of worker processes. */
    workers: value.WEB_CONCURRENCY,
    /** Milliseconds that an instance goes on serving after SIGTERM, while /ready says that it stops. */
    shutdownDelay: value.SHUTDOWN_DELAY,
    /** Requests that one process works on at a time; further ones are 503. */
    maxRequests: value.MAX_REQUESTS,
    /** Event streams that one process holds open at a time; further ones are 503. */
    maxStreams: value.MAX_STREAMS,
    logLevel: value.LOG_LEVEL,
    metricsHost: value.METRICS_HOST,
    /** Where Prometheus reads metrics; null turns them off. */
    metricsPort: value.METRICS_PORT,
    /** Base URL of a collector of OpenTelemetry that gets the spans of requests; null makes none. */
    tracesUrl: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** Stored with each project as its `version`. */
    apiVersion: value.API_VERSION,
    /** If empty, the most used tags of featured projects. */
    featuredTags: value.FEATURED_TAGS,
    /** Default lifetime of a token in seconds. */
    tokenTtl: value.TOKEN_TTL,
    /** days that every point of a history is kept; older ones are thinned out */
    historyDays: value.HISTORY_DAYS,
    /** most bytes of a zip that is imported */
    maxImportBytes: value.MAX_IMPORT_MIB,
    /** most bytes of a project's history */
    historyMaxBytes: value.HISTORY_MAX_MIB,
    /** days that what was removed can be restored */
    trashDays: value.TRASH_DAYS,
    /** where the bytes of assets are: null for a folder in `dataDir`, or the URL of a bucket */
    assetsUrl: value.ASSETS_URL,
    /** most bytes of an asset */
    maxAssetBytes: value.MAX_ASSET_MIB,
    /** most bytes of all assets that one user has sent */
    assetQuota: value.ASSET_QUOTA_MIB,
    /** where clients reach the service, without a slash at the end; null for where a request came to */
    publicUrl: value.PUBLIC_URL,
    /** Milliseconds that responses of public lists are cached; 0 turns the cache off. */
    listMaxAge: value.LIST_MAX_AGE,
    /** Who may register apps: people with an account, or the apps themselves too. */
    appRegistration: value.APP_REGISTRATION,
    /** Who may open an account: anybody, nobody, or those who have an invitation code. */
    signUp: value.SIGN_UP,
    /** which token a moderator's rights need: one that they signed in for, or one that came of a passkey */
    moderatorsNeed: value.MODERATORS_NEED,
    /** Who may make classes: those whom an operator or a moderator has made a teacher, or everybody whose account no class manages. */
    teachers: value.TEACHERS,
    /** how many people of standing have to report a project or a comment until it is held; null if nothing is held by numbers */
    holdAfter: value.HOLD_AFTER,
    rateLimit: value.RATE_LIMIT === 'on',
    /** How many reverse proxies in front are trusted to append to X-Forwarded-For. */
    trustedProxies: value.TRUSTED_PROXIES,
    /** The pages that people look at; null for the API alone. */
    site: value.SITE === 'on' ? Object.freeze(siteOf(value)) : null,
    /** whether this instance draws thumbnails of projects whose authors have sent none */
    thumbnails: value.THUMBNAILS === 'on',
    /** where webhooks may be sent to: the word `public`, and networks */
    webhooksTo: value.WEBHOOKS_TO,
    /** the scanner that is asked about each new picture before others see it; null if there is none */
    scanUrl: value.SCAN_URL,
    /** what is looked at before others see it */
    filters: Object.freeze({
        /** the file of words that names do not have, and that projects and comments are held for; null if there is none */
        words: value.BLOCKED_WORDS,
        /** days for which a moderator looks at projects of a new account before lists have them; null if they are listed at once */
        lookDays: value.LOOK_FIRST === 'new' ? value.LOOK_DAYS : null
    }),
    /** the server that takes mails, and whom they are from; null if the service sends none */
    mail: mailOf(value),
    auth: Object.freeze(authOf(value)),
    /** other providers that sign people in at the site */
    signIn: signInOf(value, authOf(value), value.SITE === 'on')
});

/**
 * Reads the environment. A variable that is set but empty counts as not set, as in `.env.example`.
 * @param faults what is wrong with files that variables name
 * @throws ConfigError naming every variable that is wrong, and how.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>, faults: readonly string[] = []): Config {
    const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
    const result = settings.validate(given, { abortEarly: false, errors: { wrap: { label: false } }, messages: patternMessages });
    const wrong = result.error?.details.map(({ type, message, context }) => (type === 'any.required' ? message : `${message} (it is ${shown(context)})`)) ?? [];
    if (result.error !== undefined || faults.length > 0) {
        throw new ConfigError([...wrong, ...faults]);
    }

    return configOf(result.value);
}

/** Values that may contain a password are never shown. */
function shown(context: Joi.Context | undefined): string {
    return /_URL$|SECRET|^SIGN_IN_WITH$/.test(String(context?.key)) ? 'not shown' : JSON.stringify(context?.value);
}
