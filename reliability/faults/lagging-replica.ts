import { setTimeout as sleep } from 'node:timers/promises';

import { startStandby } from '../../test/support/standby';
import type { Standby } from '../../test/support/standby';
import { check } from './check';
import { Database } from './database';
import type { Dice } from '../../test/support/dice';
import { Load } from './load';
import { PASSWORD } from './sender';
import { Pooler } from './pooler';
import type { Scenario } from './scenario';
import { faultsOf } from './scenario';
import { Service } from './service';
import { send } from './wire';
import type { Answer, Call } from './wire';

/** Milliseconds by which a public list may lag. */
const MAX_LAG = 5000;
/** Milliseconds for which the service caches a list (its default). */
const LIST_MAX_AGE = 1000;
const SECONDS_A_ROUND = 5;
const TAG = 'lagging';
/** Live projects of one writer. */
const MOST = 12;

/** What is known about a project; times are by this process's clock. */
interface Known {
    id: string;
    /** when its creation was acknowledged */
    made: number;
    /** its place in lists */
    place: string;
    /** when its deletion was sent, and when it was acknowledged */
    going?: number;
    gone?: number;
}

const placeOf = ({ id, history }: { id: string; history: { created_at: string } }): string => `${history.created_at} ${id.padStart(19, '0')}`;

/** Authors that read what they wrote, and readers of lists, each on a random instance. */
class Witnesses {
    readonly known: Known[] = [];
    readonly findings: string[] = [];
    reads = 0;
    lists = 0;
    walks = 0;
    stale = 0;
    /** milliseconds that the oldest list was behind when it was requested */
    oldest = 0;
    readonly #services: readonly Service[];
    readonly #until: AbortSignal;

    constructor(services: readonly Service[], until: AbortSignal) {
        this.#services = services;
        this.#until = until;
    }

    async #ask(dice: Dice, call: Call): Promise<Answer> {
        const service = dice.pick(this.#services);
        const answer = service && await send(service, 'witness', call);
        if (!answer || answer.status >= 500) {
            throw new Error(`${call.method} ${call.path} returned ${answer?.status}: ${JSON.stringify(answer?.body)}`);
        }

        return answer;
    }

    /** Reads, and reports the response as stale unless the condition holds. */
    async #expect(dice: Dice, path: string, holds: (answer: Answer) => boolean): Promise<void> {
        const answer = await this.#ask(dice, { method: 'GET', path });
        this.reads++;
        if (!holds(answer)) {
            this.stale++;
            this.findings.push(`stale: ${path} returned ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
        }
    }

    /** Writes, and at once reads what was written from a random instance. */
    async write(dice: Dice, username: string): Promise<void> {
        const { body: { user, token: { access_token: token } } } = await this.#ask(dice, { method: 'POST', path: '/users', body: { username, password: PASSWORD } });
        const own: Known[] = [];
        const base = `/users/${user.id}/projects`;
        await this.#expect(dice, base, ({ body }) => body.projects?.length === 0);
        while (!this.#until.aborted) {
            const { body: { project, page } } = await this.#ask(dice, { method: 'POST', path: base, body: { title: 'New', description: `#${TAG}` }, token });
            const one: Known = { id: project.id, made: performance.now(), place: placeOf(project) };
            own.push(one);
            this.known.push(one);
            const url = `${base}/${one.id}`;
            await this.#expect(dice, url, ({ body }) => body.project?.title === 'New');
            await this.#expect(dice, `/projects/${one.id}`, ({ body }) => body.project?.title === 'New');
            await this.#expect(dice, `${base}?count=1`, ({ body }) => body.projects?.[0]?.id === one.id);
            await this.#ask(dice, { method: 'PATCH', path: url, body: { title: 'Renamed' }, token });
            await this.#expect(dice, url, ({ body }) => body.project?.title === 'Renamed');
            const { body: { element } } = await this.#ask(dice, { method: 'POST', path: `${url}/pages/${page.id}/elements`, body: { type: 'text' }, token });
            await this.#expect(dice, `${url}/pages`, ({ body }) => body.pages?.[0]?.elements[0]?.id === element.id);
            const [first] = own;
            if (first !== undefined && own.length > MOST) {
                own.shift();
                first.going = performance.now();
                await this.#ask(dice, { method: 'DELETE', path: `${base}/${first.id}`, token });
                first.gone = performance.now();
                await this.#expect(dice, `${base}/${first.id}`, ({ status }) => status === 404);
            }

            await sleep(dice.between(20, 200));
        }
    }

    /** Reads the list of all projects, and notes its minimum age: by the first creation that it lacks, or the first deletion that it still shows. */
    async read(dice: Dice): Promise<void> {
        while (!this.#until.aborted) {
            const asked = performance.now();
            const known = [...this.known];
            const { body: { projects } } = await this.#ask(dice, { method: 'GET', path: `/projects/tagged/${TAG}?count=100` });
            const shown = new Set<string>(projects.map(({ id }: { id: string }) => id));
            const lacks = known.filter(({ id, made, going }) => !shown.has(id) && made < asked && going === undefined).map(({ made }) => asked - made);
            const keeps = known.filter(({ id, gone = asked }) => shown.has(id) && gone < asked).map(({ gone = asked }) => asked - gone);
            this.#note(Math.max(0, ...lacks, ...keeps));
            this.lists++;
            await sleep(dice.between(0, 60));
        }
    }

    #note(age: number): void {
        this.oldest = Math.max(this.oldest, age);
        if (age > MAX_LAG) {
            this.findings.push(`a list was ${Math.round(age)} ms old`);
        }
    }

    /** Walks through the list page by page: nothing may be repeated, and nothing left out after the first page. */
    async walk(dice: Dice): Promise<void> {
        while (!this.#until.aborted) {
            const started = performance.now();
            const known = this.known.filter(({ made }) => made < started - LIST_MAX_AGE);
            const ids: string[] = [];
            let behind: string | undefined;
            for (let next: string | null | undefined; next !== null;) {
                const { body } = await this.#ask(dice, { method: 'GET', path: `/projects/tagged/${TAG}?count=2${next === undefined ? '' : `&after=${next}`}` });
                ids.push(...body.projects.map(({ id }: { id: string }) => id));
                behind ??= body.projects.map(placeOf).at(-1) ?? '';
                next = body.next;
            }

            const seen = new Set(ids);
            const skipped = known.filter(({ id, place, going }) => !seen.has(id) && going === undefined && place < String(behind));
            if (seen.size < ids.length || skipped.length > 0) {
                this.findings.push(`a walk of ${ids.length} repeated ${ids.length - seen.size} and left out ${skipped.map(({ id }) => id).join()}`);
            }

            this.walks++;
            await sleep(dice.between(0, 100));
        }
    }
}

/** Pauses and kills a replica, for shorter and longer than it may lag. Returns how often it was read meanwhile. */
async function disturb(standby: Standby, dice: Dice, until: AbortSignal, log: (text: string) => void): Promise<{ paused: number; killed: number; read: number }> {
    const done = { paused: 0, killed: 0, read: 0 };
    /** its reads of tags since it was started; only lists read tags */
    const count = async (): Promise<number> => {
        await sleep(1100);
        const { rows: [row] } = await standby.db.raw(`select idx_scan::int as n from pg_stat_user_tables where relname = 'project_tags'`);
        return row.n;
    };

    while (!until.aborted) {
        await sleep(dice.between(1500, 3000));
        await standby.pause();
        done.paused++;
        await sleep(dice.pick([500, 1500, 2500, 4000, 8000]));
        await standby.resume();
        if (dice.chance(0.3)) {
            await sleep(1500);
            done.read += await count();
            await standby.stop();
            done.killed++;
            await sleep(dice.between(200, 3000));
            await standby.start();
        }

        log(`paused ${done.paused} times, killed ${done.killed} times`);
    }

    done.read += await count();
    return done;
}

/** A replica that lags, stands still and goes away: reads of own writes never notice it, and lists lag by at most five seconds. */
export const laggingReplica: Scenario = {
    name: 'replica',
    title: 'A replica that lags',
    run: async ({ dice, rounds, log, defer }, outcome) => {
        const database = new Database({ wal_keep_size: '2GB' });
        defer(() => database.end());
        await database.up();
        // The replica is a copy of a database that exists.
        const first = new Service((name) => ({ DATABASE_URL: database.url(name) }));
        defer(() => first.kill());
        await first.start();
        await first.kill();
        const standby = await startStandby(database.url());
        defer(() => standby.drop());
        const pooler = await Pooler.inFrontOf(new URL(standby.url));
        await pooler.start();
        defer(() => pooler.end('SIGKILL'));
        // One instance reads it through PgBouncer, and one has no replica, so the pages of one list come from very different sources.
        const services = [standby.url, pooler.urlFor('lists'), ''].map((url) => new Service((name) => ({
            DATABASE_URL: database.url(name), DATABASE_REPLICA_URL: url, DATABASE_POOL: '8', LIST_MAX_AGE: String(LIST_MAX_AGE)
        })));
        defer(() => Promise.all(services.map((service) => service.kill())));
        await Promise.all(services.map((service) => service.start()));

        const load = await Load.open({ targets: services, dice: dice.split(), keyed: 1, authors: 3, racers: 1, pause: 20 });
        const ending = new AbortController();
        const witnesses = new Witnesses(services, ending.signal);
        const work = [1, 2, 3].map((n) => witnesses.write(dice.split(), `witness-${n}`));
        work.push(witnesses.read(dice.split()), witnesses.read(dice.split()), witnesses.walk(dice.split()));
        const disturbed = disturb(standby, dice.split(), ending.signal, log);
        const broken = Promise.all(work);
        await load.during(() => Promise.race([sleep(Math.max(20, rounds * SECONDS_A_ROUND) * 1000), broken]));
        ending.abort();
        await broken.catch((error: Error) => witnesses.findings.push(`a witness failed: ${error.stack}`));
        const { paused, killed, read } = await disturbed;
        const checked = await check(load, database.db);
        const { rows: [{ stored }] } = await database.db.raw('select count(*)::int as stored from projects where description = ?', [`#${TAG}`]);
        if (stored !== witnesses.known.length) {
            outcome.findings.push(`${witnesses.known.length} projects of the witnesses were acknowledged, and ${stored} are stored`);
        }

        outcome.checks++;
        faultsOf(services, load.journal);
        outcome.kills.add('replica', killed);
        outcome.findings.push(...witnesses.findings.slice(0, 10));
        outcome.take(load, checked);
        outcome.notes.push(`paused ${paused} times; ${witnesses.reads} reads of what had just been written, ${witnesses.stale} stale`,
            `${witnesses.lists} lists and ${witnesses.walks} walks through one, page by page; the oldest list was ${Math.round(witnesses.oldest)} ms behind; the replica was asked for ${read} lists`);
    }
};
