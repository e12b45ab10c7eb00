import type { Knex } from 'knex';

import type { Attack, Run } from './attack';
import type { Attacker } from './attacker';
import { behind, collected, heavyButtons, heavyTexts, million } from './data';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Reads of what has changed in a project with a million elements: as tags alone, by clients that leave, and as streams. */
async function changes(attacker: Attacker, db: Knex): Promise<Run> {
    const { path: project } = await million(attacker, db);
    const path = `${project}/changes?since=0`;
    return async () => {
        await attacker.times(30, 30, () => attacker.call({ method: 'HEAD', path }));
        await Promise.all(numbers(48).map(() => attacker.abandon({ path })));
        const streams = numbers(3).map(() => attacker.unread(attacker.head('GET', path)).resume());
        await attacker.hold(3);
        streams.forEach((socket) => socket.resetAndDestroy());
    };
}

/** The same of points in its history, by its owner. */
async function points(attacker: Attacker, db: Knex): Promise<Run> {
    const { path: project, account: { headers } } = await million(attacker, db);
    const path = `${project}/history/1`;
    return async () => {
        await attacker.times(20, 20, () => attacker.call({ method: 'HEAD', path, headers }));
        await Promise.all(numbers(30).map(() => attacker.abandon({ path, headers })));
    };
}

/** All other reads of the same project. */
async function largest(attacker: Attacker, db: Knex): Promise<Run> {
    const { path, page, id } = await million(attacker, db);
    const reads = [`${path}/pages`, `${path}/export`, page, `${page}/elements`, `${path}/lineage`, `/p/${id}`, `/p/${id}/embed`, `/projects/${id}`];
    return async () => {
        await attacker.times(24, 24, (n) => attacker.call({ method: 'HEAD', path: reads[n % reads.length] ?? path }));
        await attacker.times(48, 24, (n) => attacker.abandon({ path: reads[n % reads.length] ?? path }, n < 24 ? 100 : 1000));
    };
}

/** Pages of the site that take long to render. */
async function rendering(attacker: Attacker, db: Knex): Promise<Run> {
    const [texts, buttons, { collection }] = [await heavyTexts(attacker, db), await heavyButtons(attacker, db), await collected(attacker, db)];
    const pages = [texts, buttons].flatMap(({ id }) => [`/p/${id}`, `/p/${id}/embed`]);
    const oembed = `/oembed?url=${encodeURIComponent(`http://127.0.0.1:${attacker.port}/p/${texts.id}`)}`;
    return async () => {
        await attacker.times(60, 60, (n) => attacker.call({ method: n % 3 === 0 ? 'HEAD' : 'GET', path: [...pages, `/c/${collection}`][n % 5] ?? '/' }));
        await attacker.times(150, 50, (n) => attacker.call({ path: n % 2 === 0 ? oembed : `${oembed}&maxwidth=${100 + n}` }));
        await Promise.all(numbers(40).map((n) => attacker.abandon({ path: pages[n % 4] ?? '/', headers: { 'accept-language': n % 2 === 0 ? 'ar' : 'ru' } })));
    };
}

/** What a project's source has changed in ten thousand elements. */
async function upstream(attacker: Attacker, db: Knex): Promise<Run> {
    const { path: project } = await behind(attacker, db);
    const path = `${project}/upstream`;
    return async () => {
        await attacker.times(20, 10, (n) => attacker.call({ method: n % 2 === 0 ? 'HEAD' : 'GET', path }));
        await Promise.all(numbers(30).map(() => attacker.abandon({ path })));
    };
}

export const guests: readonly Attack[] = [
    { name: 'changes', short: true, title: '30 HEADs and 48 abandoned reads of what changed in a project with a million elements, and three streams', prepare: changes, seconds: 15 },
    { name: 'points', title: '20 HEADs and 30 abandoned reads of a point in its history', prepare: points, seconds: 15 },
    { name: 'largest', short: true, title: 'all other reads of it, some abandoned', prepare: largest, seconds: 15 },
    { name: 'rendering', short: true, title: '60 pages of the site with 4 MB of texts or 1,000 buttons, a collection of them, and 150 embeddings', prepare: rendering, seconds: 15 },
    { name: 'upstream', short: true, title: '20 reads and 30 abandoned ones of 10,000 changes of a source', prepare: upstream, seconds: 15 }
];
