import { readBlockedWords } from '../community/filters';
import { readConfig } from '../config';
import type { Config } from '../config';
import { errorMessage } from '../database/statements/error-message';
import { openStore } from '../database/statements/open';
import { WrongSettings } from '../config/wrong-settings';
import { limitHeapGrowth } from './process/heap-growth';
import { environmentOf, realHost } from './process/host';
import type { Host } from './process/host';
import { makeLogger } from './process/logger';
import { tryPorts } from './process/ports';
import { embeddedRefused } from './process/refused';
import type { OpenedService } from './process/serve';
import { readLogo } from '../site/logo';
import { placeTextFaults } from '../site/place-texts';
import { unknownSettings } from './process/unknown-settings';
import { welcome } from './process/welcome';

// It takes a second to load, in which the embedded PostgreSQL starts.
// eslint-disable-next-line no-restricted-syntax
const service = (): typeof import('./process/serve') => require('./process/serve');

/** The exit code if an operator has to change settings before another start can succeed: EX_CONFIG of sysexits.h. */
const WRONG_SETTINGS = 78;

/** Milliseconds */
interface Patience {
    /** a second signal within this time is ignored: Ctrl-C arrives once from the terminal and once through npm */
    echo: number;
    /** time limit for an orderly end */
    end: number;
}

/**
 * Runs the service until a signal or an uncaught error ends it. Then requests in progress are completed, the pool is closed, and
 * the embedded database is stopped. A second signal ends it at once.
 */
export async function run(host: Host, patience: Patience = { echo: 500, end: 40_000 }): Promise<void> {
    const settings = await settingsOf(host);
    if (settings === undefined) {
        host.exit(WRONG_SETTINGS);
        return;
    }

    limitHeapGrowth();
    const { config, warnings } = settings;
    const logger = makeLogger(config.logLevel, host.stdout, host.events);
    if (!host.isWorker) {
        warnings.forEach((warning) => logger.warn(warning));
    }

    const opened: OpenedService = {};
    const ending = new AbortController();
    const start = async (): Promise<string> => {
        if (!host.isWorker) {
            await tryPorts(config);
        }

        const { databaseTimeout: statementTimeout } = config;
        opened.store = await openStore(config, { share: false, statementTimeout, log: (message) => logger.warn(message), meanwhile: service }).catch((error: unknown) => {
            throw embeddedRefused(error, config);
        });
        ending.signal.throwIfAborted();
        return await service().serve(opened.store, opened, config, logger, ending.signal, host);
    };

    const starting = start();

    const cut = (): void => {
        logger.warn('stopped at once');
        opened.store?.abandon();
        host.exit(1);
    };

    const sayStopped = (): void => {
        if (host.stdout.isTTY && !host.isWorker) {
            host.stdout.write('Stopped.\n');
        }
        else {
            logger.info('stopped');
        }
    };

    /** If the service is still starting, it waits until the current step is done. */
    const end = async (code: number, say = sayStopped): Promise<void> => {
        ending.abort();
        const deadline = setTimeout(cut, patience.end);
        await starting.catch(() => undefined);
        // After an uncaught error there is no delay.
        await service().close(opened, code === 0 ? config.shutdownDelay : 0);
        clearTimeout(deadline);
        say();
        host.exit(code);
    };

    let asked = 0;
    const onSignal = (name: string): void => {
        if (!ending.signal.aborted) {
            asked = Date.now();
            logger.info(`${name}: ending`);
            void end(0);
        }
        else if (Date.now() - asked > patience.echo) {
            cut();
        }
    };

    host.events.on('SIGTERM', onSignal).on('SIGINT', onSignal);

    const onStray = (error: unknown, origin: unknown): void => {
        logger.fatal({ err: error }, `${String(origin)}: ending`);
        if (ending.signal.aborted) {
            cut();
        }
        else {
            void end(1);
        }
    };

    host.events.on('uncaughtException', onStray);

    try {
        const url = await starting;
        logger.info({ url }, 'listening');
        // In a file or a pipe, standard output only has the log: one JSON object in each line.
        if (!host.isWorker) {
            (host.stdout.isTTY ? host.stdout : host.stderr).write(welcome(url, config));
        }
    }
    catch (error) {
        if (!ending.signal.aborted) {
            host.stderr.write(`${errorMessage(error)}\n`);
            logger.debug({ err: error }, 'the start failed');
            await end(error instanceof WrongSettings ? WRONG_SETTINGS : 1, () => undefined);
        }
    }
}

/** The settings, and warnings about misspelt ones; undefined if they are invalid, which is reported. */
async function settingsOf(host: Host): Promise<{ config: Config; warnings: string[] } | undefined> {
    let warnings: string[] = [];
    try {
        const environment = environmentOf(host);
        warnings = unknownSettings(environment);
        return { config: readConfig(environment, await fileFaults(environment)), warnings };
    }
    catch (error) {
        host.stderr.write([errorMessage(error), ...warnings].map((line) => `${line}\n`).join(''));
        return undefined;
    }
}

/** Faults of the files that the settings name, in words for an operator. */
async function fileFaults(environment: Readonly<Record<string, string | undefined>>): Promise<string[]> {
    const { BLOCKED_WORDS: words, SITE_LOGO: logo } = environment;
    const faultsOf = (
        path: string | undefined, read: (path: string) => Promise<unknown>
    ): Promise<string[]> => (!path ? Promise.resolve([]) : read(path).then(() => [], (error: unknown) => [errorMessage(error)]));
    const ofWords = await faultsOf(words, readBlockedWords);
    return environment.SITE === 'off' ? ofWords : [...ofWords, ...await faultsOf(logo, readLogo), ...await placeTextFaults(environment)];
}

// The tests start this as a process of its own, where coverage is not measured.
/* $lab:coverage:off$ */
if (require.main === module) {
    void run(realHost);
}
/* $lab:coverage:on$ */
