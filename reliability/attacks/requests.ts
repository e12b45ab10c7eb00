import { MIB } from './attacker';
import type { Attacker } from './attacker';
import type { Attack } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A valid cursor, different for each number. */
const cursor = (n: number): string => Buffer.from(`0.${Date.now()}.${1 + n}`).toString('base64url');

/** Long, different URLs for cheap requests. */
async function listAddresses(attacker: Attacker): Promise<void> {
    const blank = '&'.repeat(15_000);
    await attacker.times(8000, 16, (n) => attacker.call({ path: `/projects?count=1&after=${cursor(n)}${blank}` }));
}

/** Lists that are not in any cache. */
async function manyLists(attacker: Attacker): Promise<void> {
    await attacker.times(4000, 16, (n) => attacker.call({ path: n % 2 === 0 ? `/projects/tagged/tag${n}${'x'.repeat(800)}` : `/discover/pt-A${n}?count=${1 + n % 100}&page=${1 + n % 50}` }));
}

async function entityTags(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path, page } = await attacker.project(account);
    const tags = numbers(600).map((n) => `"${String(n).padStart(20, 'x')}"`).join(', ');
    const odd = `${'W/'.repeat(3000)}"${'\\"'.repeat(3000)}`;
    await attacker.times(3000, 16, (n) => attacker.call({
        path: [path, page, `${path}/pages`, '/projects', `${page}/elements`][n % 5] ?? path, headers: { [n % 7 === 0 ? 'if-match' : 'if-none-match']: n % 3 === 0 ? odd : tags }
    }));
}

async function longQueries(attacker: Attacker): Promise<void> {
    const queries = [
        'a&'.repeat(7000), 'count=1&'.repeat(1800), `after=${'A'.repeat(14_000)}`, `after=${cursor(0)}&${'%41'.repeat(4500)}`, numbers(1500).map((n) => `k${n}=${n}`).join('&'), `page=${'0'.repeat(14_000)}1`
    ];
    const paths = ['/projects', '/discover', '/featured-tags', '/discover/pt', '/projects/tagged/x', '/health', '/openapi.json', '/nowhere'];
    await attacker.times(3000, 16, (n) => attacker.call({ path: `${paths[n % paths.length]}?${queries[n % queries.length]}` }));
}

async function idempotencyKeys(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path } = await attacker.project(account);
    const key = (n: number): string => `${process.pid}-${n}-${'k'.repeat(200)}`;
    await attacker.times(500, 16, (n) => attacker.call({ method: 'PATCH', path, headers: { ...account.headers, 'idempotency-key': key(n % 400) }, body: { title: `title ${n % 400}` } }));
    await attacker.times(500, 16, (n) => attacker.call({ method: 'POST', path: `${path}/pages`, headers: { ...account.headers, 'idempotency-key': key(n) }, body: { x: n, y: 9 } }));
}

async function tokens(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    await attacker.times(60, 20, () => attacker.call({ method: 'POST', path: '/users', body: { username: `x${attacker.dice.below(2 ** 31)}`, password: 'x'.repeat(256) } }));
    await attacker.times(60, 20, () => attacker.call({ method: 'POST', path: '/tokens', body: { username: 'nobody-at-all', password: 'x'.repeat(256) } }));
    await attacker.times(2000, 16, (n) => attacker.call({ path: n % 2 === 0 ? '/tokens' : account.path, headers: { authorization: `token ${String(n).padStart(43, 'A')}` } }));
}

/** Many clients edit one thing at once: each waits for the lock of the one before it. */
async function patchStorm(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path, page } = await attacker.project(account);
    const styles = { text: 'x'.repeat(20_000) };
    await attacker.times(3000, 200, (n) => attacker.call({
        method: 'PATCH', path: n % 3 === 0 ? path : page, headers: account.headers, body: n % 3 === 0 ? { title: `title ${n}` } : { styles }
    }));
}

/** Views, each by a new viewer. */
async function views(attacker: Attacker): Promise<void> {
    const { id } = await attacker.project(await attacker.open());
    await attacker.times(3000, 32, (n) => attacker.call({ method: 'POST', path: `/view-project/${id}`, headers: { 'user-agent': `${n}${'x'.repeat(8000)}` } }));
}

/** More silent connections from one address than the service accepts. */
async function connections(attacker: Attacker): Promise<void> {
    for (let opened = 0; opened < 11_000 && !attacker.over; opened += 500) {
        numbers(500).forEach(() => void attacker.connect());
        await attacker.hold(0.1);
    }

    await attacker.hold(6);
}

/** Reads that take much work and return little. */
async function heads(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { page, pageId, path } = await attacker.project(account);
    const elements = numbers(999).map((n) => ({ type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: { text: `words ${n} ${'x'.repeat(1000)}` } } }));
    await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: { actions: elements }, read: 4 * MIB });
    await attacker.times(1500, 32, (n) => attacker.call({ method: 'HEAD', path: [page, `${path}/pages`, `${page}/elements`][n % 3] ?? page }));
}

export const requests: readonly Attack[] = [
    { name: 'list-addresses', short: true, title: '8,000 URLs of 15 KB for one list', run: listAddresses, seconds: 20, bounds: { kept: 24 } },
    { name: 'many-lists', title: '4,000 lists of unused tags and languages', run: manyLists, seconds: 12 },
    { name: 'entity-tags', title: '3,000 reads with 600 entity tags each', run: entityTags, seconds: 12 },
    { name: 'long-queries', title: '3,000 reads with 14 KB of query', run: longQueries, seconds: 12 },
    { name: 'idempotency-keys', title: '1,000 writes with keys, some repeated', run: idempotencyKeys, seconds: 12 },
    { name: 'tokens', title: '60 new accounts, 60 wrong passwords, 2,000 unknown tokens', run: tokens, seconds: 15 },
    { name: 'patch-storm', short: true, title: '3,000 PATCHes of one project by 200 clients', run: patchStorm, seconds: 15 },
    { name: 'views', title: '3,000 views by as many browsers of one address', run: views, seconds: 12, answers: ['429 rate_limited'] },
    { name: 'connections', title: '11,000 connections from one address that send nothing', run: connections, seconds: 12 },
    { name: 'heads', title: '1,500 HEADs of a page of 1 MiB', run: heads, seconds: 12 }
];
