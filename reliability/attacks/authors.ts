import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import { lookUp } from '../../seeds/calls';
import type { Attack, Run } from './attack';
import type { Attacker, Call } from './attacker';
import { bulk, fullTrash, manyProjects, million } from './data';
import { hostileTexts } from './hostile';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const LONG = String(hostileTexts['letters that fold into eighteen']);

/** Texts that become eighteen times as long in the index of the search. */
async function folding(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const data = { title: LONG.repeat(256), description: numbers(40).map((n) => `${LONG.repeat(22)}${n}`).join(' ') };
    await attacker.times(5, 5, () => bulk(attacker, account, numbers(1000).map(() => ({ type: 'projects', method: 'create', data }))));
    await attacker.hold(5);
}

/** The name and the language of an account with 3,000 projects. */
async function renaming(attacker: Attacker, db: Knex): Promise<Run> {
    const texts = [`${LONG.repeat(100)} project`, numbers(40).map((n) => `${LONG.repeat(20)}${n}`).join(' ')] as const;
    const { account: { path, headers, username } } = await manyProjects(attacker, db, 'with-many-projects', ...texts);
    return async () => {
        await attacker.times(120, 4, (n) => attacker.call({ method: 'PATCH', path, headers, body: n % 2 === 0 ? { language: ['ru', 'ar', 'es', 'pt'][n % 4] } : { username: `${username}-${n % 8}` } }));
        await attacker.call({ method: 'PATCH', path, headers, body: { username } });
        await attacker.hold(5);
    };
}

/** Writes that wait for the lock of a large restore, each with a connection. */
async function locks(attacker: Attacker, db: Knex): Promise<Run> {
    const { account: { headers }, path, id, page } = await million(attacker, db);
    const members = [await attacker.open(), await attacker.open()];
    const { rows: [row] } = await db.raw<{ rows: { revision: number }[] }>('select revision from projects where id = ?', [id]);
    const revision = row?.revision ?? 1;
    // So that a restore has something to restore.
    for (const { username } of members) {
        await attacker.call({ method: 'PUT', path: `${path}/members/${username}`, headers, body: { role: 'editor' } });
    }

    return async () => {
        await attacker.call({ method: 'DELETE', path: page, headers, body: {} });
        await Promise.all([
            ...numbers(2).map(() => attacker.call({ method: 'POST', path: `${path}/history/${revision}/restore`, headers, body: {} })),
            attacker.times(20, 20, (n) => attacker.call({ method: 'PUT', path: `${path}/history/${revision}/label`, headers, body: { label: `Label ${n}` } })),
            attacker.times(150, 50, (n) => attacker.call({ method: 'PUT', path: `${path}/members/${members[n % 2]?.username}`, headers, body: { role: n % 3 === 0 ? 'viewer' : 'editor' } })),
            attacker.times(20, 20, () => attacker.abandon({ method: 'POST', path: `${path}/history/${revision}/restore`, headers, body: {} }, 200))
        ]);
    };
}

/** Deletes pages of a thousand elements for good, or restores them, many at once. */
async function purges(attacker: Attacker, db: Knex): Promise<Run> {
    const { account: { id, path, headers } } = await fullTrash(attacker, db);
    const { rows } = await db.raw<{ rows: { id: string }[] }>('select id::text as id from trash where user_id = ? order by id', [id]);
    return async () => {
        const act = (n: number): Call => ({ method: n % 6 === 5 ? 'POST' : 'DELETE', path: `${path}/trash/${rows[n]?.id}${n % 6 === 5 ? '/restore' : ''}`, headers, body: {} });
        await attacker.times(18, 18, (n) => attacker.call(act(n)));
        await Promise.all(numbers(6).map((n) => attacker.abandon(act(18 + n))));
    };
}

/** Seconds until a new project of somebody else has a thumbnail, at most. */
const THUMBNAIL = 12;

/** Thousands of projects that want a thumbnail, and somebody else's after them. */
async function thumbnailLine(attacker: Attacker): Promise<Run> {
    const [account, other] = [await attacker.open(), await attacker.open()];
    for (const _ of numbers(17)) {
        // Each has an element, so each has something to draw.
        await bulk(attacker, account, numbers(333).flatMap((n) => [
            { type: 'projects', method: 'create', data: { title: 'A project' } },
            { type: 'pages', method: 'create', data: { projectId: `$${3 * n}.id`, x: 1, y: 1 } },
            { type: 'elements', method: 'create', data: { pageId: `$${3 * n + 1}.id`, type: 'text', attributes: { text: `words ${n}` } } }
        ]));
    }

    return async () => {
        await attacker.times(17, 4, () => bulk(attacker, account, numbers(1000).map(() => ({ type: 'projects', method: 'create', data: { title: 'A project' } }))));
        const { path, page, id } = await attacker.project(other);
        await attacker.call({ method: 'POST', path: `${page}/elements`, headers: other.headers, body: { type: 'text', attributes: { text: 'Tomatoes' } } });
        for (const _ of numbers(THUMBNAIL * 2)) {
            await sleep(500);
            const { json } = await attacker.call({ path, headers: other.headers });
            if (Object.keys(Object(lookUp(json, ['project', 'thumbnail']))).length > 0) {
                return;
            }
        }

        attacker.achieve(`project ${id} of somebody else has no thumbnail after ${THUMBNAIL} s`);
    };
}

export const authors: readonly Attack[] = [
    { name: 'folding', short: true, title: '5,000 projects whose texts are 18 times as long in the index of the search', run: folding, seconds: 15, bounds: { after: 2, stored: 40 } },
    { name: 'renaming', short: true, title: '120 changes of the name and the language of an account with 3,000 projects', prepare: renaming, seconds: 15, bounds: { after: 1 } },
    { name: 'locks', short: true, title: 'restores of a project with a million elements, and 190 writes that wait for their lock', prepare: locks, seconds: 20 },
    { name: 'purges', short: true, title: '24 pages of 1,000 elements of 8 KB deleted for good or restored at once', prepare: purges, seconds: 15 },
    // A thousand new projects are about 1 KB in gzip.
    { name: 'thumbnail-line', short: true, title: '22,000 projects that want a thumbnail, before somebody else\'s', prepare: thumbnailLine, seconds: 25, bounds: { after: 2, stored: 900 } }
];
