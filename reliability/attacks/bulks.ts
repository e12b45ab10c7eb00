import { setTimeout as sleep } from 'node:timers/promises';

import { MIB, zipped } from './attacker';
import type { Account, Attacker } from './attacker';
import type { Attack } from './attack';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

const bulk = (attacker: Attacker, { path, headers }: Account, actions: readonly object[], key?: string): ReturnType<Attacker['call']> => {
    return attacker.call({ method: 'POST', path: `${path}/bulk`, headers: { ...headers, ...key !== undefined && { 'idempotency-key': key } }, body: { actions } });
};

/** An element with so many keys that each search through them takes long. `z` has an id. */
async function wideElement(attacker: Attacker, account: Account): Promise<{ id: string; pageId: string }> {
    const { page, pageId } = await attacker.project(account);
    const attributes = { ...Object.fromEntries(numbers(150_000).map((n) => [`k${n}`, 0])), z: pageId };
    const { json } = await attacker.call({ method: 'POST', path: `${page}/elements`, headers: account.headers, body: zipped({ type: 'text', attributes }), encoding: 'gzip', read: 8 * MIB });
    const { element }: { element?: { id: string } } = Object(json);
    return { id: element?.id ?? '1', pageId };
}

/** References into the attributes of an element that the first action returns. */
async function references(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { id } = await wideElement(attacker, account);
    const show = { type: 'elements', method: 'update', data: { id, styles: {} } };
    const link = { type: 'elements', method: 'create', data: { pageId: '$0.attributes.z', type: 'link', attributes: { targetPageId: '$0.attributes.z', targetProjectId: '$0.attributes.z', targetUserId: '$0.attributes.z' } } };
    for (const count of [1, 5, 20, 500]) {
        await bulk(attacker, account, [show, ...numbers(count).map(() => link)]);
    }

    const chain = numbers(19).map((n) => ({ type: 'elements', method: 'update', data: { id: `$${n}.id`, styles: { n } } }));
    await attacker.times(4, 4, () => bulk(attacker, account, [show, ...chain]));
}

/** A page with 2 MiB of styles. */
async function styledPage(attacker: Attacker, account: Account): Promise<string> {
    const { page, pageId } = await attacker.project(account);
    await attacker.call({ method: 'PATCH', path: page, headers: account.headers, body: zipped({ styles: { text: 'x'.repeat(2 * MIB - 100) } }), encoding: 'gzip' });
    return pageId;
}

const updatesOf = (id: string, count: number): object[] => numbers(count).map((n) => ({ type: 'pages', method: 'update', data: { id, x: n } }));

/** One large thing, returned by each action. */
async function repeated(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const pageId = await styledPage(attacker, account);
    for (const count of [15, 60, 350, 1000]) {
        await bulk(attacker, account, updatesOf(pageId, count));
    }

    const request = attacker.whole('POST', `${account.path}/bulk`, { headers: account.headers, body: { actions: updatesOf(pageId, 350) } });
    numbers(3).forEach(() => void attacker.unread(request));
    await attacker.hold(6);
}

async function repeatedWithKeys(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const pageId = await styledPage(attacker, account);
    await attacker.times(8, 2, (n) => bulk(attacker, account, updatesOf(pageId, n < 2 ? 100 : 15), `the-key-number-${process.pid}-${n}`));
}

/** As many pages as a project may have, with styles of 190 KiB, and then one bulk that moves all of them. */
async function thousandLarge(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { id: projectId } = await attacker.project(account);
    const styles = { text: 'x'.repeat(190 * 1024) };
    const ids: string[] = [];
    await attacker.times(20, 2, async (n) => {
        const actions = numbers(50).map((y) => ({ type: 'pages', method: 'create', data: { projectId, x: n + 1, y, styles } }));
        const { json } = await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: zipped({ actions }), encoding: 'gzip', read: 16 * MIB });
        const { results }: { results?: readonly { id: string }[] } = Object(json);
        ids.push(...(results ?? []).map(({ id }) => id));
    });
    await attacker.times(8, 4, (n) => bulk(attacker, account, ids.map((id, y) => ({ type: 'pages', method: 'update', data: { id, x: 100 + n, y } }))));
    await attacker.times(8, 4, () => bulk(attacker, account, ids.map((id) => ({ type: 'pages', method: 'remove', data: { id } }))));
}

/** Large bulks whose clients disconnect before the response. */
async function abandoned(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { id: projectId } = await attacker.project(account);
    const page = (n: number): object => ({ type: 'pages', method: 'create', data: { projectId, x: n, y: 7 } });
    const elements = numbers(999).map((n) => ({ type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text', attributes: { text: `words ${n}` } } }));
    const requests = numbers(10).map((n) => attacker.whole('POST', `${account.path}/bulk`, { headers: account.headers, body: { actions: [page(n), ...elements] } }));
    await attacker.times(60, 10, async (n) => {
        const socket = attacker.unread(requests[n % requests.length] ?? '');
        await sleep(attacker.dice.between(20, 200));
        socket.resetAndDestroy();
    });
}

export const bulks: readonly Attack[] = [
    { name: 'references', title: 'bulks with references into attributes of 150,000 keys', run: references, seconds: 30, bounds: { stored: 30 } },
    { name: 'repeated', title: 'bulks that update one page with 2 MiB of styles up to 1,000 times, some never read', run: repeated, seconds: 30, bounds: { stored: 30 } },
    { name: 'repeated-keys', title: 'the same with an Idempotency-Key', run: repeatedWithKeys, seconds: 20, bounds: { stored: 200 } },
    { name: 'thousand-large', title: 'bulks that move 1,000 pages with 190 KiB of styles each', run: thousandLarge, seconds: 30, bounds: { stored: 30 } },
    { name: 'abandoned', title: '60 bulks of 1,000 actions whose clients disconnect', run: abandoned, seconds: 15 }
];
