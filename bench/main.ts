import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Embedded } from '../src/database/embedded';
import type { Context } from './measure/context';
import { help, readOptions } from './measure/options';
import type { Options } from './measure/options';
import { runAssets } from './scenarios/assets';
import { runBefore } from './scenarios/before';
import { runClasses } from './scenarios/classes';
import { runConversation } from './scenarios/conversation';
import { runHistory } from './scenarios/history';
import { runLive } from './scenarios/live';
import { runOverload } from './scenarios/overload';
import { runPrivacy } from './scenarios/privacy';
import { Processes } from './measure/processes';
import { runScale } from './scenarios/scale';
import { runSite } from './site/run';
import { runSearch } from './scenarios/search';
import { runThroughput } from './scenarios/throughput';
import { runUnits } from './scenarios/units';
import { findWrk } from './load/wrk';

const log = (message: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${message}\n`);

type Run = (options: Options, context: Context) => Promise<boolean>;

function runOf({ scale, overload, live, history, search, assets, classes, conversation, privacy, units, site, before }: Options): Run {
    const [, run = runThroughput] = ([[scale, runScale], [overload, runOverload], [live, runLive], [history, runHistory], [search, runSearch], [assets, runAssets], [classes, runClasses], [conversation, runConversation], [privacy, runPrivacy], [units, runUnits], [site, runSite], [before !== null, runBefore]] as const).find(([chosen]) => chosen) ?? [];
    return run;
}

/** Runs the bench as the options say. However it ends, it stops everything that it started. */
async function main(options: Options): Promise<boolean> {
    findWrk();
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-bench-'));
    const processes = new Processes(dir);
    const databases = new Set<Embedded>();
    const opened = (embedded: Embedded): void => void databases.add(embedded);

    let ending: Promise<void> | undefined;
    const end = (): Promise<void> => {
        ending ??= (async () => {
            await processes.stopAll();
            await Promise.all([...databases].map((database) => database.stop()));
            rmSync(dir, { recursive: true, force: true });
        })();
        return ending;
    };

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.once(signal, () => {
            log(`${signal}: stopping`);
            void end().finally(() => process.exit(1));
        });
    }

    process.once('exit', () => {
        processes.abandon();
        databases.forEach((database) => database.stopNow());
    });

    try {
        const context = { dir, processes, opened, log };
        return await runOf(options)(options, context);
    }
    finally {
        await end();
    }
}

function start(): void {
    let options: Options | undefined;
    try {
        options = readOptions(process.argv.slice(2));
    }
    catch (error) {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
        process.exitCode = 2;
        return;
    }

    if (options === undefined) {
        process.stdout.write(help);
        return;
    }

    main(options).then((good) => {
        process.exitCode = good ? 0 : 1;
    }, (error: unknown) => {
        // Our own errors have a clear message; any other is a bug in the bench, so print its stack.
        const plain = error instanceof Error && error.name === 'Error';
        process.stderr.write(`${plain ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
        process.exitCode = 1;
    });
}

start();
