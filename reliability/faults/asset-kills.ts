import { fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { openStorage } from '../../src/files/assets/open-storage';
import { checkAssets } from './asset-check';
import { Database, temporary } from './database';
import type { Dice } from '../../test/support/dice';
import { Load } from './load';
import { Ledger, Painter } from './painter';
import { admin } from './restore';
import type { Scenario } from './scenario';
import { readyAgain } from './scenario';
import { Service, adminProgram, environment } from './service';
import { BUCKET, S3_KEYS } from '../../test/support/s3';

const PAINTERS = 6;

/** Kills of a round, in this order, again and again. */
const victims = ['service', 'database', 'bucket', 'both', 'service', 'service'] as const;

const KILLS_A_ROUND = 12;
const KILLS_IN_SHORT = 4;

/** The server that is like S3, as a process that can be killed and started again at the same port. */
class Bucket {
    readonly folder = temporary();
    url = '';
    #port = 0;
    #child: ChildProcess | undefined;

    constructor() {
        process.on('exit', () => this.#child?.kill('SIGKILL'));
    }

    async start(): Promise<void> {
        this.#child = fork(resolve(__dirname, 's3-server.js'), [this.folder, String(this.#port)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
        [this.#port] = await once(this.#child, 'message');
        this.url = `s3://${BUCKET}/some/school?endpoint=http://127.0.0.1:${this.#port}`;
    }

    async kill(): Promise<void> {
        const child = this.#child;
        child?.kill('SIGKILL');
        await (child && child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined);
    }
}

/** Makes the files in a folder two hours older than they are, as if that time had passed. */
async function age(folder: string, skipped: string): Promise<void> {
    const past = new Date(Date.now() - 2 * 3_600_000);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        if (entry.isFile() && entry.parentPath !== skipped) {
            // It may be gone by now.
            await utimes(join(entry.parentPath, entry.name), past, past).catch(() => undefined);
        }
    }
}

/** Runs the maintenance, and kills it half of the time. @returns whether it was killed */
async function maintainAWhile(env: Record<string, string>, dice: Dice): Promise<boolean> {
    const child = spawn(process.execPath, [adminProgram, 'purge', '--older-than', '0s', '--yes'], { cwd: '/', env: environment(env), stdio: 'ignore' });
    const ended = once(child, 'close');
    // It may end by itself, also because the database is down.
    await Promise.race([ended, dice.chance(0.5) ? sleep(dice.between(300, 3000)) : ended]);
    const killed = child.exitCode === null && child.kill('SIGKILL');
    await ended;
    return killed;
}

const assetKills = (name: string, title: string, makeBucket: () => Bucket | undefined): Scenario => ({
    name,
    title,
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = new Database();
        defer(() => database.end());
        await database.up();
        const bucket = makeBucket();
        defer(() => Promise.resolve(bucket?.kill()));
        await bucket?.start();
        const dir = temporary();
        const settings = { DATA_DIR: dir, DATABASE_POOL: '8', ...bucket && { ...S3_KEYS, ASSETS_URL: bucket.url } };
        let draws: 'on' | 'off' = 'on';
        const services = [1, 2].map(() => new Service((process) => ({ DATABASE_URL: database.url(process), THUMBNAILS: draws, ...settings })));
        defer(() => Promise.all(services.map((service) => service.kill())));
        await Promise.all(services.map((service) => service.start()));
        Object.assign(process.env, S3_KEYS);
        const storage = await openStorage({ assetsUrl: bucket?.url ?? null, dataDir: dir });
        defer(() => Promise.resolve(storage.close()));

        const load = await Load.open({ targets: services, dice: dice.split(), authors: 0, racers: 0, historians: 0, keyed: 1 });
        const ledger = new Ledger();
        for (let n = 0; n < PAINTERS; ++n) {
            load.add(await Painter.open(load, dice.split(), ledger));
        }

        /** kills of a service that was drawing thumbnails */
        let drawn = 0;

        /** As if 8 days had passed, but for those that are to be kept. */
        const passDays = async (incoming: string): Promise<void> => {
            await age(bucket?.folder ?? storage.incoming.slice(0, -'/incoming'.length), incoming);
            await database.db.raw(`update assets set unused_since = now() - interval '8 days' where unused_since > now() - interval '7 days' and hash <> all(?)`, [[...ledger.kept]]);
        };

        const killService = async (service: Service | undefined): Promise<void> => {
            (await service?.kill())?.forEach((n, kind) => outcome.under.add(kind, n));
            outcome.kills.add('server');
            // As if the two minutes had passed in which nobody else draws thumbnails. PostgreSQL may be down.
            drawn = await database.db.raw<{ rows: [{ drawn: number }] }>(`
                with freed as (update thumbnail_progress set claimed_until = now() - interval '1 second' where claimed_until > now() returning 1)
                select (select count(*) from freed)::int as drawn`).then(({ rows: [row] }) => drawn + row.drawn, () => drawn);
        };

        /** Starts the services again. @param thumbnails whether they draw any: what is drawn while it is checked would seem to be left behind */
        const startAgain = async (thumbnails: typeof draws): Promise<void> => {
            draws = thumbnails;
            await Promise.all(services.map(async (service) => {
                await service.kill('SIGTERM');
                await service.start();
            }));
        };

        const kill = async (victim: (typeof victims)[number]): Promise<void> => {
            const service = dice.pick(services);
            if (victim === 'service' || (victim === 'bucket' && bucket === undefined)) {
                await killService(service);
                await service?.start();
            }
            else if (victim === 'bucket') {
                await bucket?.kill();
                outcome.kills.add('S3');
                await sleep(dice.between(0, 500));
                await bucket?.start();
            }
            else {
                await Promise.all([database.kill('SIGKILL'), victim === 'both' && killService(service)]);
                outcome.kills.add('PostgreSQL');
                await database.up();
                await (victim === 'both' && service?.start());
                await Promise.all(services.map((each) => readyAgain(each)));
            }
        };

        let maintained = 0;
        for (let round = 1; round <= rounds && load.journal.findings.length === 0; ++round) {
            await load.during(async () => {
                let isOver = false;
                const meanwhile = async (work: () => Promise<void>): Promise<void> => {
                    while (!isOver) {
                        await work();
                    }
                };

                const aging = meanwhile(async () => {
                    await passDays(storage.incoming).catch(() => undefined);
                    await sleep(100);
                });
                const maintaining = meanwhile(async () => {
                    const killed = await maintainAWhile({ DATABASE_URL: database.url('purge'), ...settings }, dice);
                    outcome.kills.add('maintenance', Number(killed));
                    maintained += Number(!killed);
                });
                for (let n = 0; n < (rounds === 1 ? KILLS_IN_SHORT : KILLS_A_ROUND); ++n) {
                    await sleep(dice.between(50, 600));
                    await kill(victims[n % victims.length] ?? 'service');
                }

                isOver = true;
                await Promise.all([aging, maintaining]);
            });

            await startAgain('off');
            // What a connection that broke has begun may still be in progress.
            await Promise.all(services.map(({ name: process }) => database.over(process, false, new Date())));
            // The first maintenance removes projects, and with them the need for what is in them: 7 days before the second.
            for (const _time of [1, 2]) {
                await passDays('');
                await age(storage.incoming, '');
                await admin({ DATABASE_URL: database.url('purge'), ...settings }, 'purge', '--older-than', '0s', '--yes');
            }

            const checked = await checkAssets(load, ledger, database.db, storage, dice.split());
            log(`${outcome.endRound(round, load, services)}; compared ${checked.assets} assets, ${checked.references} references, ${checked.thumbnails} drawn thumbnails, ${checked.acknowledged} acknowledged writes`);
            await (round < rounds && startAgain('on'));
        }

        outcome.take(load);
        outcome.notes.push(`in progress when a server was killed: ${outcome.under}`, `${maintained} maintenances ended by themselves`, `${drawn} kills while thumbnails were drawn`);
    }
});

/** Everything is killed at random while pictures are sent, placed, remixed, imported and removed; their bytes are in a folder. */
export const folderKills = assetKills('assets', 'SIGKILL of the server, PostgreSQL and the maintenance, with pictures in a folder', () => undefined);

/** The same in a bucket, whose server is killed too. */
export const bucketKills = assetKills('bucket', 'SIGKILL of the server, PostgreSQL, the maintenance and S3, with pictures in a bucket', () => new Bucket());
