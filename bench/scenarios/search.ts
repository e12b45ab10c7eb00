import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import type { Context } from '../measure/context';
import { openDatabase } from '../../src/database/statements/connection';
import { migrate } from '../../src/database/statements/migrate';
import { startEmbedded } from '../../src/database/embedded';
import { Client } from '../load/client';
import { percentile } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Options } from '../measure/options';
import { factTable, number, tableOf } from '../report/table';
import { fillWords, vocabulary } from './words';

/** Searches of each kind in each script. */
const ASKED = 40;
const MAX_P50 = 20;
const MAX_P99 = 100;

const some = (list: readonly string[], from: number, to: number): string => list[from + Math.floor(Math.random() * (to - from))] ?? '';

/** What is searched for, given the words of a script from the most frequent to the rarest. */
const kinds: Readonly<Record<string, (words: readonly string[]) => string>> = {
    common: (words) => some(words, 0, 10),
    middling: (words) => some(words, 100, 500),
    rare: (words) => some(words, 20_000, 30_000),
    absent: (words) => some(words, 0, 30_000).repeat(3),
    'two common ones': (words) => `${some(words, 0, 5)} ${some(words, 5, 10)}`,
    'two middling ones': (words) => `${some(words, 100, 200)} ${some(words, 200, 300)}`,
    'a beginning': (words) => [...some(words, 0, 1000)].slice(0, 2).join('')
};

/** Questions that are made to take long. */
const costly = ['kind1 kind2', 'author kind1 ab cd ef gh', 'ab cd ef gh ij kl mn op', 'a b c d e f g h', 'all kind author 1'];

/** Waits until the service has filled the index, and says how fast. */
async function untilFilled(db: Knex, log: Context['log']): Promise<void> {
    const began = performance.now();
    let said = -Infinity;
    for (let left = 1; left > 0; await sleep(1000)) {
        const { rows: [row] } = await db.raw<{ rows: { left: string }[] }>('select count(*) as left from search_queue');
        left = Number(row?.left);
        if (performance.now() - said > 60_000) {
            said = performance.now();
            log(`${left} changes of projects wait for the index`);
        }
    }

    const { rows: [count] } = await db.raw<{ rows: { n: string }[] }>('select count(*) as n from project_search');
    log(`the index has ${count?.n} projects, filled in ${number((performance.now() - began) / 1000, 0)} s`);
    await db.raw('vacuum analyze project_search');
    const { rows: [size] } = await db.raw<{ rows: { words: string; index: string }[] }>('select pg_size_pretty(pg_table_size(\'project_search\')) as words, pg_size_pretty(pg_relation_size(\'project_search_words_idx\')) as index');
    log(`its words take ${size?.words}, and their index ${size?.index}`);
}

/** Measures searches in six scripts, one after another, of which none is cached; and the lists of trending projects and of collections. */
export async function runSearch(options: Options, { processes, opened, log }: Context): Promise<boolean> {
    const dir = join('.data', `bench-search-${options.projects}`);
    const isNew = !existsSync(dir);
    const embedded = await startEmbedded({ dir, log });
    opened(embedded);
    const db = openDatabase({ url: embedded.url, pool: 2 });
    if (isNew) {
        await migrate(db);
        await fillWords(db, options.projects, log);
    }

    const service = await processes.service('search', embedded.url, { LIST_MAX_AGE: '0' });
    await untilFilled(db, log);
    await db.raw('create extension if not exists pg_prewarm');
    await db.raw(`select pg_prewarm(oid::regclass) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`);

    const client = new Client(service.base, 1);
    const timed = async (path: string): Promise<number> => (await client.call({ path }, 200)).ms;
    const search = (q: string): Promise<number> => timed(`/search?q=${encodeURIComponent(q)}`);
    await search('to be ready');
    const invented = vocabulary();
    const times = new Map<string, number[]>();
    for (let round = 0; round < ASKED; ++round) {
        for (const [script, words] of invented) {
            for (const [kind, question] of Object.entries(kinds)) {
                const key = `${script}, ${kind}`;
                times.set(key, [...times.get(key) ?? [], await search(question(words))]);
            }
        }
    }

    const rows = [...times].map(([key, list]) => [key, number(percentile(list, 50), 1), number(percentile(list, 99), 1)]);
    for (const question of costly) {
        const list = [await search(question), await search(question), await search(question)];
        rows.push([`“${question}”`, number(percentile(list, 50), 1), number(Math.max(...list), 1)]);
    }

    const ofLists = async (path: (n: number) => string): Promise<number> => {
        const list: number[] = [];
        for (let n = 1; n <= 200; ++n) {
            list.push(await timed(path(n)));
        }

        return percentile(list, 50);
    };

    for (const [title, path] of [['all projects', () => '/projects'], ['trending', () => '/trending'], ['a collection', (n: number) => `/collections/${1 + n % 100}`]] as const) {
        rows.push([title, number(await ofLists(path), 1), '']);
    }

    process.stdout.write(`\n${tableOf(['what', 'p50, ms', 'p99, ms'], rows)}\n`);
    const all = [...times.values()].flat();
    const fact = (title: string, value: number, most: number): Fact => ({ title, value: `${number(value, 1)} ms`, target: `≤ ${most} ms`, met: value <= most });
    const facts = [fact('searches in six scripts, p50', percentile(all, 50), MAX_P50), fact('the same, p99', percentile(all, 99), MAX_P99)];
    process.stdout.write(`\n${factTable(facts)}\n`);
    client.close();
    await processes.stop(service.child);
    await db.destroy();
    await embedded.stop();
    return facts.every(({ met }) => met);
}
