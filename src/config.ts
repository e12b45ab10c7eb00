import Joi from 'joi';

/** Everything that can be set from outside, checked and frozen. */
export interface Config {
    readonly host: string;
    /** TCP port; 0 lets the system choose. */
    readonly port: number;
    /** Any PostgreSQL >= 14; null starts the embedded one in `dataDir`. */
    readonly databaseUrl: string | null;
    /** Folder of the embedded database. */
    readonly dataDir: string;
    /** Connections of one process to the database. */
    readonly databasePool: number;
    /** Processes that serve together. */
    readonly workers: number;
    readonly logLevel: string;
    readonly metricsHost: string;
    /** Where Prometheus is answered; null for not at all, and nothing is counted. */
    readonly metricsPort: number | null;
    /** Stored with each project as its `version`. */
    readonly apiVersion: string;
    /** Empty: the most used tags of featured projects are answered. */
    readonly featuredTags: readonly string[];
    /** Seconds a token lives unless its request says otherwise. */
    readonly tokenTtl: number;
    /** Milliseconds that an answer of a public list is kept for others who ask the same; 0 for not at all. */
    readonly listMaxAge: number;
    readonly rateLimit: boolean;
    /** How many reverse proxies in front are trusted to append to X-Forwarded-For. */
    readonly trustedProxies: number;
}

/** What is wrong with the environment, every fault at once. */
export class ConfigError extends Error {
    readonly faults: readonly string[];

    constructor(faults: readonly string[]) {
        super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
        this.name = 'ConfigError';
        this.faults = faults;
    }
}

/** Seconds in the longest life a token may be given: a year. */
export const MAX_TOKEN_TTL = 365 * 24 * 3600;

const settings = Joi.object<Record<string, string | number | undefined>>({
    HOST: Joi.string().hostname().default('127.0.0.1'),
    PORT: Joi.number().integer().min(0).max(65535).default(3000),
    DATABASE_URL: Joi.string().uri({ scheme: ['postgres', 'postgresql'] }),
    DATA_DIR: Joi.string().default('.data'),
    DATABASE_POOL: Joi.number().integer().min(1).max(1000).default(10),
    WEB_CONCURRENCY: Joi.number().integer().min(1).max(64).default(1),
    LOG_LEVEL: Joi.string().valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    METRICS_HOST: Joi.string().hostname().default('127.0.0.1'),
    METRICS_PORT: Joi.number().integer().min(0).max(65535),
    API_VERSION: Joi.string().min(1).max(32).default('1'),
    FEATURED_TAGS: Joi.string().pattern(/^[\p{L}\p{M}\p{N}_]+(?: *, *[\p{L}\p{M}\p{N}_]+)*$/u, 'tags with commas between them').default(''),
    TOKEN_TTL: Joi.number().integer().min(1).max(MAX_TOKEN_TTL).default(30 * 24 * 3600),
    // A list may lag by 5 seconds, of which making it takes some.
    LIST_MAX_AGE: Joi.number().integer().min(0).max(4000).default(1000),
    RATE_LIMIT: Joi.string().valid('on', 'off').default('on'),
    TRUSTED_PROXIES: Joi.number().integer().min(0).max(16).default(0)
}).unknown();

/** The names of all variables, as `.env.example` has to list them. */
export const variables: readonly string[] = Object.keys(settings.describe().keys);

/**
 * Reads the environment. A variable that is set but empty counts as not set, as in `.env.example`.
 * @throws ConfigError naming every variable that is wrong, and how.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
    const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
    const { value, error } = settings.validate(given, { abortEarly: false, errors: { wrap: { label: false } } });
    if (error) {
        throw new ConfigError(error.details.map((detail) => `${detail.message} (it is ${shown(detail.context)})`));
    }

    return Object.freeze({
        host: String(value.HOST),
        port: Number(value.PORT),
        databaseUrl: value.DATABASE_URL === undefined ? null : String(value.DATABASE_URL),
        dataDir: String(value.DATA_DIR),
        databasePool: Number(value.DATABASE_POOL),
        workers: Number(value.WEB_CONCURRENCY),
        logLevel: String(value.LOG_LEVEL),
        metricsHost: String(value.METRICS_HOST),
        metricsPort: value.METRICS_PORT === undefined ? null : Number(value.METRICS_PORT),
        apiVersion: String(value.API_VERSION),
        featuredTags: Object.freeze(String(value.FEATURED_TAGS).split(',').map((tag) => tag.trim().toLowerCase().normalize('NFC')).filter(Boolean)),
        tokenTtl: Number(value.TOKEN_TTL),
        listMaxAge: Number(value.LIST_MAX_AGE),
        rateLimit: value.RATE_LIMIT === 'on',
        trustedProxies: Number(value.TRUSTED_PROXIES)
    });
}

/** A database URL may hold a password, and so is never repeated. */
function shown(context: Joi.Context | undefined): string {
    return context?.key === 'DATABASE_URL' ? 'not shown' : JSON.stringify(context?.value);
}
