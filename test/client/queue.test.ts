import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { Dice } from '../support/dice';

export const lab = Lab.script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

describe('the queue of the client', () => {
    let on: ClientTest;
    let author: Author;
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(async () => {
        author = await openAuthor(on.test);
        on.requests.length = 0;
    });

    afterEach(() => {
        on.intercept = undefined;
    });

    after(async () => {
        rmSync(folder, { recursive: true });
        await on?.stop();
    });

    const bulks = (): string[] => on.requests.filter((request) => request.includes('/bulk'));

    for (const host of hosts) {
        it(`sends what was edited without a connection in order, each once, in ${host}`, async () => {
            const project = await author.project();
            const element = await author.element(project.page, { attributes: { text: 'Read', size: 12 } });
            // Somebody else changes another key meanwhile.
            await author.call('PATCH', element.url, { attributes: { text: 'Read', size: 12, color: 'red' } });
            let tries = 0;
            on.intercept = (request) => {
                if (!request.includes('/bulk')) {
                    return undefined;
                }

                ++tries;
                // No connection at first; then the responses of the first two saves are lost.
                return tries <= 2 ? 'break' : tries <= 4 ? 'lose' : undefined;
            };

            const given = { session: sessionOf(author), page: project.page.id, element: element.thing };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, page, element: read } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const saved: number[] = [];
                const queue = client.queue({ onSaved: ({ things }) => void saved.push(things.length) });
                const states: string[] = [];
                const seen = (): void => void states.push(`${queue.status.state} ${queue.status.waiting}`);
                queue.subscribe(seen);
                await queue.add([{ type: 'elements', method: 'create', id: 'new', data: { pageId: page, type: 'text', attributes: { text: 'One' } } }]);
                const first = { id: 'new', revision: 0, attributes: { text: 'One' } };
                await queue.add([{ type: 'elements', method: 'update', base: first, data: { attributes: { text: 'Two' } } }]);
                await queue.add([
                    { type: 'elements', method: 'update', base: read, data: { attributes: { text: 'Mine', size: 12 } } },
                    { type: 'elements', method: 'create', id: 'link', data: { pageId: page, type: 'link', attributes: { targetPageId: page } } }
                ]);
                await queue.add([{ type: 'elements', method: 'update', base: { ...read, attributes: { text: 'Mine', size: 12 } }, data: { attributes: { text: 'Mine', size: 30 } } }]);
                await queue.add([{ type: 'elements', method: 'remove', base: { id: 'link', revision: 0 } }]);
                const same = queue.status === queue.status;
                await new Promise<void>((resolve) => {
                    queue.subscribe(() => queue.status.state === 'idle' && resolve());
                });
                queue.close();
                return { states, saved, same, status: queue.status };
            });
            expect(told.status).to.equal({ state: 'idle', waiting: 0, failure: null, failures: [] });
            expect(told.same).to.be.true();
            expect(told.saved).to.equal([1, 1, 2, 1, 1]);
            expect(told.states).to.include(['offline 5', 'sending 4', 'idle 0']);
            const { body } = await on.test.call('GET', `${project.page.url}/elements`);
            expect(body.elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([{ text: 'Mine', size: 30, color: 'red' }, { text: 'Two' }]);
        });

        it(`reports a conflict, and goes on when it is resolved, in ${host}`, async () => {
            const project = await author.project();
            const element = await author.element(project.page, { attributes: { text: 'Read' } });
            await author.call('PATCH', element.url, { attributes: { text: 'Theirs' } });
            const given = { session: sessionOf(author), page: project.page.id, element: element.thing };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, element: read } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const queue = client.queue();
                const reaches = (state: string): Promise<void> => new Promise((resolve) => {
                    const check = (): void => void (queue.status.state === state && resolve());
                    queue.subscribe(check);
                    check();
                });
                const edit = (from: string, to: string): Promise<void> => queue.add([
                    { type: 'elements', method: 'update', base: { ...read, attributes: { text: from } }, data: { attributes: { text: to } } }
                ]);
                const failure = (): unknown => {
                    const error = queue.status.failure?.error;
                    return error instanceof pagewright.SaveError && [error.code, error.index, error.conflicts, error.changedBy?.username, Reflect.get(Object(error.current), 'attributes')];
                };

                const early = await queue.resolve(null).catch((error: unknown) => error instanceof TypeError);
                await edit('Read', 'Mine');
                await edit('Mine', 'Mine again');
                await queue.add([{ type: 'elements', method: 'update', base: { ...read, styles: {} }, data: { styles: { left: 1 } } }]);
                await reaches('failed');
                const first = failure();
                // All edits of the thing are in the one that failed, those too that are made now.
                await edit('Mine again', 'Mine at last');
                const { waiting } = queue.status;
                const { changes = [], error } = queue.status.failure ?? {};
                const current = error?.current;
                await queue.resolve(changes.map((change) => (change.type === 'elements' && change.method === 'update' && current !== undefined && 'attributes' in current ? { ...change, base: current } : change)));
                await reaches('idle');
                queue.close();
                return { early, first, waiting, data: changes.map((change) => change.method === 'update' && change.data) };
            });
            const conflict = ['revision_conflict', 0, ['/attributes/text']];
            expect(told.early).to.be.true();
            expect(told.first).to.equal([...conflict, author.username, { text: 'Theirs' }]);
            expect(told.waiting).to.equal(4);
            expect(told.data).to.equal([{ attributes: { text: 'Mine at last' }, styles: { left: 1 } }]);
            const { body } = await on.test.call('GET', element.url);
            expect(body.element).to.include({ attributes: { text: 'Mine at last' }, styles: { left: 1 } });
        });

        it(`goes on with what was kept when it is opened again, by its own user only, in ${host}`, async () => {
            const project = await author.project();
            const other = await openAuthor(on.test);
            on.intercept = (request) => (request.includes('/bulk') ? 'break' : undefined);
            const given = { session: sessionOf(author), other: sessionOf(other), project: project.thing, page: project.page.thing, path: join(folder, author.username) };
            const first = on.run(host, given, async ({ pagewright, url, given: { session, other: stranger, project: read, page, path } }) => {
                const kept = async (): Promise<ReturnType<typeof pagewright.memoryQueue>> => (Reflect.get(globalThis, 'indexedDB') === undefined ? pagewright.fileQueue(await import('node:fs/promises'), path) : pagewright.indexedDbQueue('test'));
                const client = pagewright.createClient(url);
                const unsigned = client.queue();
                const nobody = await unsigned.add([]).catch((error: unknown) => error instanceof TypeError);
                client.signInWith(session);
                const queue = client.queue({ storage: await kept() });
                await queue.add([{ type: 'projects', method: 'update', base: read, data: { title: 'Kept' } }]);
                await queue.add([{ type: 'pages', method: 'update', base: page, data: { styles: { color: 'red' } } }]);
                queue.close();

                client.signInWith(stranger);
                const again = client.queue({ storage: await kept() });
                const reaches = (state: string): Promise<void> => new Promise((resolve) => {
                    const check = (): void => void (again.status.state === state && resolve());
                    again.subscribe(check);
                    check();
                });
                await reaches('signed-out');
                const { waiting } = again.status;
                client.signInWith(session);
                await reaches('offline');
                await fetch(`${url}/health?online`);
                await reaches('idle');
                again.close();
                return { waiting, nobody };
            });
            on.intercept = (request) => {
                if (request.includes('/health')) {
                    on.intercept = undefined;
                }

                return request.includes('/bulk') ? 'break' : undefined;
            };

            expect(await first).to.equal({ waiting: 2, nobody: true });
            expect((await on.test.call('GET', project.url)).body.project.title).to.equal('Kept');
            expect((await on.test.call('GET', project.page.url)).body.page.styles).to.equal({ color: 'red' });
            expect(bulks().filter((request) => request.endsWith(' 200')).length).to.equal(2);
        });
    }

    it('goes on with all but what waits for a decision, and what needs that', async () => {
        const project = await author.project();
        const element = await author.element(project.page, { attributes: { text: 'Read' } });
        const gone = await author.element(project.page, { attributes: { text: 'Gone' } });
        await author.call('PATCH', element.url, { attributes: { text: 'Theirs' } });
        await author.call('DELETE', gone.url);
        const given = { session: sessionOf(author), project: project.id, page: project.page.id, element: element.thing, gone: gone.thing };
        const told = await on.run('Node', given, async ({ pagewright, url, given: { session, project: id, page, element: read, gone: removed } }) => {
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const storage = pagewright.memoryQueue();
            const queue = client.queue({ storage });
            const reaches = (state: string): Promise<void> => new Promise((resolve) => {
                const check = (): void => void (queue.status.state === state && resolve());
                queue.subscribe(check);
                check();
            });
            await queue.add([
                { type: 'elements', method: 'create', id: 'beside', data: { pageId: page, type: 'text', attributes: { text: 'Beside' } } },
                { type: 'elements', method: 'update', base: read, data: { attributes: { text: 'Mine' } } },
                { type: 'elements', method: 'update', base: removed, data: { attributes: { text: 'Mine too' } } }
            ]);
            // No page has this place, but the next change needs this page.
            await queue.add([{ type: 'pages', method: 'create', id: 'taken', data: { projectId: id, x: 0, y: 0 } }]);
            await queue.add([
                { type: 'elements', method: 'create', id: 'inside', data: { pageId: 'taken', type: 'text', attributes: { text: 'Inside' } } },
                { type: 'elements', method: 'update', base: { ...read, attributes: { text: 'Mine' } }, data: { attributes: { text: 'Mine again' } } },
                { type: 'elements', method: 'create', id: 'later', data: { pageId: page, type: 'text', attributes: { text: 'Later' } } }
            ]);
            await queue.add([{ type: 'elements', method: 'create', id: 'link', data: { pageId: page, type: 'link', attributes: { text: 'There', targetPageId: 'taken' } } }]);
            await queue.add([{ type: 'pages', method: 'create', id: 'chapter', data: { projectId: id, x: 1, y: 0 } }]);
            await queue.add([{ type: 'elements', method: 'create', id: 'words', data: { pageId: 'chapter', type: 'text', attributes: { text: 'A whole chapter' } } }]);
            await reaches('failed');
            const failures = queue.status.failures.map(({ changes, error }) => ({
                code: error.code, index: error instanceof pagewright.SaveError && error.index, keys: changes.map((change) => (change.method === 'create' ? change.id : change.base.id)), data: changes.map((change) => change.method !== 'remove' && Reflect.get(change.data, 'attributes'))
            }));
            queue.close();
            // What waits is the same after the page was loaded again.
            const again = client.queue({ storage });
            await again.unsent();
            const kept = again.status.failures.length;
            const [conflict, lost, place] = again.status.failures;
            await again.resolve(null, conflict);
            await again.resolve(null, lost);
            await again.resolve((place?.changes ?? []).map((change) => (change.type === 'pages' && change.method === 'create' ? { ...change, data: { ...change.data, x: 2 } } : change)), place);
            const twice = await again.resolve(null, conflict).catch((error: unknown) => error instanceof TypeError);
            await new Promise<void>((resolve) => {
                const check = (): void => void (again.status.state === 'idle' && resolve());
                again.subscribe(check);
                check();
            });
            again.close();
            return { failures, kept, twice };
        });
        expect(told.failures).to.equal([
            { code: 'revision_conflict', index: 0, keys: [element.id], data: [{ text: 'Mine again' }] },
            { code: 'not_found', index: 0, keys: [gone.id], data: [{ text: 'Mine too' }] },
            { code: 'coordinates_taken', index: 0, keys: ['taken', 'inside', 'link'], data: [undefined, { text: 'Inside' }, { text: 'There', targetPageId: 'taken' }] }
        ]);
        expect(told).to.include({ kept: 3, twice: true });
        const { body: { pages } } = await on.test.call('GET', `${project.url}/pages`, undefined, { token: author.token });
        const texts = pages.map(({ elements }: { elements: { attributes: { text: string } }[] }) => elements.map(({ attributes }) => attributes.text).sort());
        expect(texts).to.equal([['Beside', 'Later', 'Theirs', 'There'], ['A whole chapter'], ['Inside']]);
    });

    it('loses nothing and does nothing twice in two tabs with a bad connection', async () => {
        const project = await author.project();
        const element = await author.element(project.page, { attributes: {} });
        const dice = new Dice(20261122);
        on.intercept = (request) => (!request.includes('/bulk') || dice.below(10) < 6 ? undefined : dice.below(2) === 0 ? 'break' : 'lose');
        const given = { session: sessionOf(author), page: project.page.id, element: element.thing };
        const tab = (name: string) => on.run('Node', { ...given, name }, async ({ pagewright, url, given: { session, page, element: read, name: key } }) => {
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const queue = client.queue();
            let base = read;
            for (let n = 1; n <= 6; ++n) {
                const attributes = { ...base.attributes, [key]: n };
                await queue.add([
                    { type: 'elements', method: 'update', base, data: { attributes } },
                    { type: 'elements', method: 'create', id: `new-${n}`, data: { pageId: page, type: 'text', attributes: { text: `${key} ${n}` } } }
                ]);
                base = { ...base, attributes };
            }

            await new Promise<void>((resolve) => {
                const check = (): void => void (queue.status.state === 'idle' && resolve());
                queue.subscribe(check);
                check();
            });
            queue.close();
        });
        await Promise.all([tab('a'), tab('b')]);
        const { body: { elements: [edited, ...others] } } = await on.test.call('GET', `${project.page.url}/elements`);
        expect(edited.attributes).to.equal({ a: 6, b: 6 });
        const texts: string[] = others.map(({ attributes: { text } }: { attributes: { text: string } }) => text);
        for (const key of ['a', 'b']) {
            expect(texts.filter((text) => text.startsWith(key))).to.equal(Array.from({ length: 6 }, (_text, index) => `${key} ${index + 1}`));
        }
    });

    for (const host of hosts) {
        it(`shows what waits, and sends many saves as few, in ${host}`, async () => {
            const project = await author.project();
            const element = await author.element(project.page, { attributes: { text: 'Read', size: 12 } });
            // Somebody else changes another key meanwhile; and the response of the first save is lost.
            await author.call('PATCH', element.url, { attributes: { text: 'Read', size: 12, color: 'red' } });
            let tries = 0;
            on.intercept = (request) => (!request.includes('/bulk') ? undefined : ++tries === 1 ? 'break' : tries === 2 ? 'lose' : undefined);
            const told = await on.run(host, { session: sessionOf(author), project: project.id, page: project.page.id, element: element.thing }, async ({ pagewright, url, given: { session, project: id, page, element: read } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const joined: number[] = [];
                const storage = pagewright.memoryQueue();
                const queue = client.queue({ storage, onSaved: (_saved, _changes, saves) => void joined.push(saves) });
                let base = read;
                const edit = async (attributes: object): Promise<void> => {
                    await queue.add([{ type: 'elements', method: 'update', base, data: { attributes: { ...base.attributes, ...attributes } } }]);
                    base = { ...base, attributes: { ...base.attributes, ...attributes } };
                };

                for (let n = 1; n <= 150; ++n) {
                    await edit({ text: `Typed ${n}` });
                }

                await queue.add([{ type: 'pages', method: 'create', id: 'next', data: { projectId: id, x: 1, y: 0 } }]);
                await queue.add([{ type: 'elements', method: 'create', id: 'new', data: { pageId: 'next', type: 'link', attributes: { text: 'Back', targetPageId: page } } }]);
                const made = { id: 'new', revision: 0, type: 'link', attributes: { text: 'Back', targetPageId: page } };
                await queue.add([{ type: 'elements', method: 'update', base: made, data: { attributes: { text: 'Here', targetPageId: 'next' } } }]);
                await queue.add([{ type: 'elements', method: 'create', id: 'gone', data: { pageId: page, type: 'text', attributes: { text: 'Gone' } } }]);
                await queue.add([{ type: 'elements', method: 'remove', base: { id: 'gone', revision: 0 } }]);
                const { saves, ids, things } = await queue.unsent();
                const waiting = await pagewright.countWaiting(storage);
                await new Promise<void>((resolve) => {
                    const check = (): void => void (queue.status.state === 'idle' && resolve());
                    queue.subscribe(check);
                    check();
                });
                const rest = await queue.unsent();
                queue.close();
                return { waiting, first: saves[0], sum: joined.reduce((sum, count) => sum + count, 0), few: joined.length, known: ids.size + things.length, left: rest.saves.length };
            });
            expect(told).to.include({ sum: 155, known: 0, left: 0 });
            expect(told.waiting).to.be.within(1, 155);
            expect(told.first?.length).to.equal(1);
            expect(told.few).to.be.between(4, 80);
            const { body: { pages } } = await on.test.call('GET', `${project.url}/pages`, undefined, { token: author.token });
            const [[stored, ...others], [link]] = pages.map(({ elements }: { elements: object[] }) => elements);
            expect(stored.attributes).to.equal({ text: 'Typed 150', size: 12, color: 'red' });
            expect(others).to.equal([]);
            expect(link.attributes).to.equal({ text: 'Here', targetPageId: pages[1].id });
            const { body: { changes } } = await on.test.call('GET', `${project.url}/history?count=100`, undefined, { token: author.token });
            // The one whose response was lost is there once.
            expect(changes.length).to.equal(3 + told.few);
        });
    }

    it('has requests sent by what is around them, which may answer itself', async () => {
        const project = await author.project();
        const told = await on.run('Node', { session: sessionOf(author), project: project.id }, async ({ pagewright, url, given: { session, project: id } }) => {
            // A busy service is asked again.
            const asked = new Set<string>();
            let isCopy = false;
            const client = pagewright.createClient(url, {
                around: async (request, send) => {
                    asked.add(`${request.method} ${request.headers.get('Authorization') === `token ${session.token}`} ${isCopy}`);
                    return isCopy ? Response.json({ status: 'success', project: { id, title: 'A copy' } }) : await send(request);
                }
            });
            client.signInWith(session);
            const read = async (): Promise<string> => (await client.api.GET('/users/{user}/projects/{project}', { params: { path: { user: 'me', project: id } } })).data.project.title;
            const first = await read();
            isCopy = true;
            return { titles: [first, await read()], asked: [...asked] };
        });
        expect(told).to.equal({ asked: ['GET true false', 'GET true true'], titles: ['A project', 'A copy'] });
    });

    it('holds a limited number of saves', async () => {
        const told = await on.run('Node', { session: sessionOf(author) }, async ({ pagewright, given }) => {
            // Nothing listens there.
            const client = pagewright.createClient('http://127.0.0.1:9');
            client.signInWith(given.session);
            const queue = client.queue();
            const large = await queue.add([{ type: 'projects', method: 'create', id: 'a', data: { title: 'x'.repeat(64 * 1024 * 1024) } }]).catch(String);
            for (let n = 0; n < 10_000; ++n) {
                await queue.add([{ type: 'projects', method: 'create', id: 'a', data: { title: 'x' } }]);
            }

            const many = await queue.add([{ type: 'projects', method: 'create', id: 'a', data: { title: 'x' } }]).catch(String);
            queue.close();
            return { large, many };
        });
        expect(told.large).to.match(/^RangeError: The queue is full: 0 saves/);
        expect(told.many).to.match(/^RangeError: The queue is full/);
    });
});
