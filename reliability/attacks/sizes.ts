import { zipped, MIB } from './attacker';
import type { Account, Attacker, Project } from './attacker';
import type { Attack } from './attack';

/** An object of just under 2 MiB, the limit of `attributes` and `styles`. */
const text = 'x'.repeat(2 * MIB - 100);

const elementOf = (pageId: string): object => ({ type: 'elements', method: 'create', data: { pageId, type: 'text', attributes: { text }, styles: { text } } });

/** Adds two elements of 4 MiB at a time, 8 KiB of gzip each, until the page has the given size, or it is rejected. */
async function fillPage(attacker: Attacker, { path, headers }: Account, pageId: string, bytes: number): Promise<boolean> {
    const body = zipped({ actions: [elementOf(pageId), elementOf(pageId)] });
    for (let sent = 0; sent < bytes && !attacker.over; sent += 8 * MIB) {
        const { status } = await attacker.call({ method: 'POST', path: `${path}/bulk`, headers, body, encoding: 'gzip' });
        if (status === 409 || status === 413) {
            return false;
        }
    }

    return true;
}

/** A project of the given size, or as large as allowed, spread over pages. */
export async function largeProject(attacker: Attacker, account: Account, bytes: number): Promise<Project> {
    const project = await attacker.project(account);
    const actions = Array.from({ length: Math.ceil(bytes / (24 * MIB)) }, (_, n) => ({ type: 'pages', method: 'create', data: { projectId: project.id, x: n + 1, y: 1 } }));
    const { json } = await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: { actions } });
    const { results }: { results?: readonly { id: string }[] } = Object(json);
    for (const { id } of results ?? []) {
        await fillPage(attacker, account, id, 24 * MIB);
    }

    return project;
}

async function largePage(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { page, pageId, path } = await attacker.project(account);
    await fillPage(attacker, account, pageId, 66 * 8 * MIB);
    for (const read of [page, `${page}/elements`, `${path}/pages`]) {
        await attacker.times(3, 3, () => attacker.call({ path: read }));
    }

    await attacker.call({ method: 'HEAD', path: `${path}/pages` });
    await attacker.call({ method: 'DELETE', path: page, headers: account.headers });
}

async function manyPages(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path } = await largeProject(attacker, account, 512 * MIB);
    await attacker.times(12, 6, (n) => attacker.call({ method: n % 4 === 3 ? 'HEAD' : 'GET', path: `${path}/pages` }));
    await attacker.call({ method: 'DELETE', path, headers: account.headers });
}

/** Small writes to a large page: each response has the page, and a conflict has the current page. */
async function smallWrites(attacker: Attacker, body: (n: number) => object): Promise<void> {
    const account = await attacker.open();
    const { page, pageId } = await attacker.project(account);
    await fillPage(attacker, account, pageId, 32 * MIB);
    await attacker.times(200, 25, (n) => attacker.call({ method: 'PATCH', path: page, headers: account.headers, body: body(n) }));
}

/** Thousands of thumbnails with long URLs, in as many projects as a list shows. */
async function thumbnails(attacker: Attacker): Promise<void> {
    const { path, headers } = await attacker.open();
    const thumbnail = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [n + 1, `http://x/${'x'.repeat(2000)}`]));
    const body = zipped({ title: 'A project', thumbnail });
    let refused = 0;
    await attacker.times(100, 4, async () => {
        const { status } = refused > 3 ? { status: 0 } : await attacker.call({ method: 'POST', path: `${path}/projects`, headers, body, encoding: 'gzip' });
        refused += Number(status !== 201);
    });
    await attacker.times(6, 3, () => attacker.call({ path: `${path}/projects?count=100` }));
    await attacker.times(6, 3, () => attacker.call({ path: '/projects?count=100' }));
}

/** Remixes by the attacker, each as large as its source. */
async function remixes(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path } = await largeProject(attacker, account, 256 * MIB);
    await attacker.times(40, 20, () => attacker.call({ method: 'POST', path: `${path}/remixes`, headers: account.headers, body: {} }));
}

/** Links, whose attributes a remix reads. */
async function linkRemixes(attacker: Attacker): Promise<void> {
    const account = await attacker.open();
    const { path, pageId } = await attacker.project(account);
    const attributes = { targetPageId: pageId, targetProjectId: '', text };
    const wide = { targetPageId: pageId, ...Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`k${n}`, 0])) };
    const link = (value: object): object => ({ type: 'elements', method: 'create', data: { pageId, type: 'link', attributes: value } });
    for (const some of [[attributes, attributes, attributes], [wide, wide, wide], [wide, wide, wide]]) {
        await attacker.call({ method: 'POST', path: `${account.path}/bulk`, headers: account.headers, body: zipped({ actions: some.map(link) }), encoding: 'gzip' });
    }

    await attacker.times(40, 20, () => attacker.call({ method: 'POST', path: `${path}/remixes`, headers: account.headers, body: {} }));
}

/** gzip shrinks text of one letter to a thousandth, and PostgreSQL to a ninetieth. */
const inflated = { stored: 30 };

/** Besides, each remix stores what its source takes, which is 3 MiB of such text in the largest project. */
const copied = { stored: 600 };

export const sizes: readonly Attack[] = [
    { name: 'large-page', short: true, title: '66 gzipped bulks add 8 MiB each to one page; then it is read, listed and deleted', run: largePage, seconds: 40, bounds: inflated },
    { name: 'many-pages', title: 'pages of 24 MiB until the project is full or has 512 MB; then all are read at once', run: manyPages, seconds: 40, bounds: inflated },
    { name: 'small-writes', title: '200 PATCHes of a few bytes to a page of 32 MiB', run: (attacker) => smallWrites(attacker, (n) => ({ x: n })), seconds: 20, bounds: inflated },
    { name: 'conflicts', title: '200 PATCHes with an old revision to a page of 32 MiB', run: (attacker) => smallWrites(attacker, (n) => ({ x: n, revision: 1 })), seconds: 20, bounds: inflated },
    { name: 'thumbnails', title: '100 projects with 4,000 thumbnails each; then lists of them', run: thumbnails, seconds: 30, bounds: inflated },
    { name: 'remixes', title: '40 remixes of the largest project, 20 at once', run: remixes, seconds: 40, bounds: copied },
    { name: 'link-remixes', title: '40 remixes of links with 2 MiB or 150,000 keys', run: linkRemixes, seconds: 20, bounds: inflated }
];
