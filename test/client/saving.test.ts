import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { hosts, startClientTest } from '../support/client';
import type { ClientTest, HostName, Scenario } from '../support/client';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the client and saves', () => {
    let on: ClientTest;
    let author: Author;

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(async () => {
        author = await openAuthor(on.test);
        on.requests.length = 0;
    });

    after(() => on?.stop());

    /** A scenario whose client is signed in as the author. */
    const save = <Given, Result>(host: HostName, given: Given, scenario: Scenario<Given & { session: { token: string; tokenId: null; user: { id: string; username: string } } }, Result>): Promise<Result> => {
        const session = { token: author.token, tokenId: null, user: { id: author.id, username: author.username } };
        return on.run(host, { ...given, session }, scenario);
    };

    const bulks = (): string[] => on.requests.filter((request) => request.includes('/bulk'));

    for (const host of hosts) {
        describe(`in ${host}`, () => {
            it('creates things that refer to each other, in any order', async () => {
                const { things, ids } = await save(host, {}, async ({ pagewright, url, given }) => {
                    const client = pagewright.createClient(url);
                    client.signInWith(given.session);
                    const saved = await client.save([
                        { type: 'elements', method: 'create', id: 'link', data: { pageId: 'front', type: 'link', attributes: { targetPageId: 'back', targetProjectId: 'book', targetUserId: '1', text: 'back' } } },
                        { type: 'elements', method: 'create', id: 'text', data: { pageId: 'back', type: 'text', attributes: { targetPageId: 'back' } } },
                        { type: 'pages', method: 'create', id: 'front', data: { projectId: 'book', x: 0, y: 0 } },
                        { type: 'pages', method: 'create', id: 'back', data: { projectId: 'book', x: 1, y: 0, styles: { color: 'red' } } },
                        { type: 'projects', method: 'create', id: 'book', data: { title: 'A book', description: '#new' } }
                    ]);
                    const none = await client.save([]);
                    return { things: saved.things, ids: Object.fromEntries(saved.ids), none };
                });
                expect(Object.keys(ids)).to.only.include(['link', 'text', 'front', 'back', 'book']);
                expect(things.map(({ type, id, thing }) => [type, id, thing?.id, thing?.revision])).to.equal([
                    ['elements', ids.link, ids.link, 1], ['elements', ids.text, ids.text, 1], ['pages', ids.front, ids.front, 2],
                    ['pages', ids.back, ids.back, 2], ['projects', ids.book, ids.book, 5]
                ]);
                expect(things[0]?.thing).to.include({ type: 'link', page_id: ids.front, attributes: { targetPageId: ids.back, targetProjectId: ids.book, targetUserId: '1', text: 'back' } });
                expect(things[1]?.thing).to.include({ type: 'text', attributes: { targetPageId: 'back' } });
                expect(things[4]?.thing).to.include({ tags: ['new'] });
                expect(things[4]?.thing).to.not.include('method');
                const { body } = await on.test.call('GET', `/users/${author.id}/projects/${ids.book}/pages`);
                expect(body.pages.map(({ id, x, styles, elements }: { id: string; x: number; styles: object; elements: { id: string }[] }) => [id, x, styles, elements.map((element) => element.id)]))
                    .to.equal([[ids.front, 0, {}, [ids.link]], [ids.back, 1, { color: 'red' }, [ids.text]]]);
                expect(bulks().length).to.equal(1);
            });

            it('saves a thing together with its content, twice, without other writers', async () => {
                const project = await author.project();
                const element = await author.element(project.page);
                on.requests.length = 0;
                const given = { place: { id: project.id, user_id: author.id }, element: element.id };
                const told = await save(host, given, async ({ pagewright, url, given: { place, session } }) => {
                    const client = pagewright.createClient(url);
                    client.signInWith(session);
                    const read = await client.projects.get(place.id);
                    const [page] = await client.projects.pages(place);
                    const [text] = page?.elements ?? [];
                    if (page === undefined || text === undefined) {
                        throw new Error('There is no page, or no element on it');
                    }

                    const first = await client.save([
                        { type: 'elements', method: 'update', base: text, data: { styles: { left: 1 } } },
                        { type: 'elements', method: 'create', id: 'new', data: { pageId: page.id, type: 'link', attributes: {} } },
                        { type: 'pages', method: 'update', base: page, data: { styles: { color: 'red' } } },
                        { type: 'projects', method: 'update', base: read, data: { title: 'Once' } }
                    ]);

                    // The results of the save have the revisions of the page and the project after all of it.
                    const [saved, link, styled, titled] = first.things;
                    if (saved?.type !== 'elements' || !saved.thing || link?.type !== 'elements' || !link.thing || styled?.type !== 'pages' || !styled.thing || titled?.type !== 'projects' || !titled.thing) {
                        throw new Error('A change was not answered as what it is');
                    }

                    await client.save([
                        { type: 'elements', method: 'update', base: link.thing, data: { attributes: { targetPageId: 'next' } } },
                        { type: 'pages', method: 'create', id: 'next', data: { projectId: place.id, x: 0, y: 1 } },
                        { type: 'pages', method: 'update', base: styled.thing, data: { x: 5 } },
                        { type: 'projects', method: 'update', base: titled.thing, data: { title: 'Twice' } }
                    ]);
                    // Only the revision of the page differs from what the editor knows.
                    const elements = (await client.projects.pages(place)).flatMap((one) => (one.id === page.id ? one.elements : []));
                    await client.save([{ type: 'pages', method: 'remove', base: { ...styled.thing, x: 5, elements } }]);
                    return { pages: await client.projects.pages(place), title: (await client.projects.get(place.id)).title };
                });
                expect(told.title).to.equal('Twice');
                expect(told.pages.map(({ x, y }) => [x, y])).to.equal([[0, 1]]);
                // One more try for the removed page.
                expect(bulks().map((request) => request.slice(-3))).to.equal(['200', '200', '409', '200']);
            });

            it('reports the conflicting change, saves nothing, and then saves the merged change', async () => {
                const project = await author.project();
                const one = await author.element(project.page, { attributes: { text: 'one' } });
                const two = await author.element(project.page, { attributes: { text: 'two' } });
                await author.call('PATCH', two.url, { attributes: { text: 'theirs' } });
                on.requests.length = 0;
                const told = await save(host, { one: one.thing, two: two.thing, path: { user: author.id, project: project.id, page: project.page.id } }, async ({ pagewright, url, given }) => {
                    const client = pagewright.createClient(url);
                    client.signInWith(given.session);
                    const changes = [
                        { type: 'elements' as const, method: 'update' as const, base: given.one, data: { attributes: { text: 'one of mine' } } },
                        { type: 'elements' as const, method: 'update' as const, base: given.two, data: { attributes: { text: 'mine' } } }
                    ];
                    const error = await client.save(changes).catch((reason: unknown) => reason);
                    if (!(error instanceof pagewright.SaveError) || error.current === undefined || !('attributes' in error.current)) {
                        throw error;
                    }

                    const { status, code, index, change, current } = error;
                    const text = `${current.attributes.text} and mine`;
                    const between = (await client.api.GET('/users/{user}/projects/{project}/pages/{page}/elements', { params: { path: given.path } })).data?.elements[0]?.attributes;
                    await client.save([...changes.slice(0, 1), { type: 'elements', method: 'update', base: current, data: { attributes: { text } } }]);
                    return { status, code, index, same: change === changes[1], between };
                });
                expect(told).to.equal({ status: 409, code: 'revision_conflict', index: 1, same: true, between: { text: 'one' } });
                const { body } = await on.test.call('GET', `${project.page.url}/elements`);
                expect(body.elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([{ text: 'one of mine' }, { text: 'theirs and mine' }]);
            });
        });
    }

    it('swaps places of pages, in circles and onto places of removed pages', async () => {
        const project = await author.project();
        const made = await Promise.all([1, 2, 3, 4, 5, 6].map((x) => author.page(project, { x, y: 0 })));
        const bases = [project.page.thing, ...made.map(({ thing }) => thing)];
        const told = await save('Node', { bases, project: project.id }, async ({ pagewright, url, given: { bases: [a, b, c, d, e, f, g], project: id, session } }) => {
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const move = (base: typeof a, data: { x?: number; y?: number }) => ({ type: 'pages' as const, method: 'update' as const, base, data });
            await client.save([
                // Three swap in a circle, two follow one that moves elsewhere, and a new page takes the place of that one.
                move(a, { x: 1 }), move(b, { x: 2, y: 0 }), move(c, { x: 0 }),
                move(d, { x: 4 }), move(e, { x: 5 }), move(f, { x: 6 }),
                { type: 'pages', method: 'create', id: 'new', data: { projectId: id, x: 3, y: 0 } },
                { type: 'pages', method: 'remove', base: g }
            ]);
            return (await client.projects.pages({ id, user_id: session.user.id })).map((page) => [page.id, page.x, page.y]);
        });
        const [a, b, c, d, e, f] = bases.map(({ id }) => id);
        expect(told.slice(0, 6)).to.only.include([[a, 1, 0], [b, 2, 0], [c, 0, 0], [d, 4, 0], [e, 5, 0], [f, 6, 0]]);
        expect(told[6]?.slice(1)).to.equal([3, 0]);
        expect(bulks().map((request) => request.slice(-3))).to.equal(['200']);
    });

    it('swaps pages with the revisions that were read', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 0 });
        const swap = (bases: [typeof page.thing, typeof page.thing]): Promise<string> => save('Node', { bases }, async ({ pagewright, url, given: { bases: [a, b], session } }) => {
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const saved = client.save([{ type: 'pages', method: 'update', base: a, data: { x: b.x } }, { type: 'pages', method: 'update', base: b, data: { x: a.x } }]);
            return await saved.then(({ things }) => things.map(({ thing }) => thing?.revision).join(), (error: unknown) => (error instanceof pagewright.SaveError ? `${error.code} ${error.index}` : String(error)));
        });
        await author.call('PATCH', page.url, { y: 3 });
        await author.call('PATCH', page.url, { y: 0, styles: { color: 'red' } });
        expect(await swap([project.page.thing, page.thing])).to.equal('3,4');
        const { body } = await on.test.call('GET', project.page.url);
        const { body: read } = await on.test.call('GET', page.url);
        await author.call('PATCH', page.url, { x: 7 });
        expect(await swap([body.page, read.page])).to.equal('revision_conflict 1');
    });

    it('returns the known fields of things that are too large for the response', async () => {
        const project = await author.project();
        const page = await author.page(project, { x: 1, y: 0, styles: { text: 'x'.repeat(1_100_000) } });
        const elements = [await author.element(page, { type: 'link', attributes: { a: 1 } }), await author.element(page, { type: 'text', attributes: { a: 1 } })];
        const given = { project: project.thing, page: page.thing, first: project.page.thing, elements: elements.map(({ thing }) => thing) };
        const told = await save('Node', given, async ({ pagewright, url, given: { session, ...bases } }) => {
            const short = async (request: Request): Promise<Response> => {
                const response = await fetch(request);
                const body = Object(await response.json());
                const results = body.results?.map((result: { id: string; revision?: number; type: string; method: string }) => {
                    const { id, revision, type, method } = result;
                    return revision === undefined ? result : { id, revision, type, method };
                });
                return Response.json(results === undefined ? body : { ...body, results }, { status: response.status });
            };

            // The page is moved out of the way first, so it is returned twice; in the second save, nothing is returned completely.
            const change = (thing: typeof bases.page): Parameters<ReturnType<typeof pagewright.createClient>['save']>[0] => [
                { type: 'pages', method: 'update', base: bases.first, data: { x: thing.x } }, { type: 'pages', method: 'update', base: thing, data: { x: 0 } }
            ];
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const swapped = await client.save(change(bases.page));
            const other = pagewright.createClient(url, { fetch: short });
            other.signInWith(session);
            const saved = await other.save([
                { type: 'projects', method: 'update', base: bases.project, data: { title: 'New' } }, { type: 'elements', method: 'update', base: bases.elements[0], data: { styles: { a: 1 } } },
                { type: 'elements', method: 'update', base: bases.elements[1], data: { styles: { a: 1 } } }, { type: 'pages', method: 'create', id: 'page', data: { projectId: bases.project.id, x: 9, y: 9 } },
                { type: 'elements', method: 'create', id: 'element', data: { pageId: 'page', type: 'text', attributes: { b: 1 } } }, { type: 'projects', method: 'create', id: 'other', data: { title: 'Other' } }
            ]);
            return { swapped: swapped.things, saved: saved.things };
        });
        const [first, moved] = told.swapped;
        expect(first?.thing).to.include({ x: 1, revision: 3 });
        expect(moved?.thing).to.include({ id: page.id, x: 0 });
        expect(told.saved.map(({ thing }) => Object.keys({ ...thing }).sort().join())).to.equal([
            Object.keys(project.thing).filter((name) => name !== 'history').sort().join(), 'id,page_id,revision,styles,type,user_id', 'attributes,id,page_id,revision,styles,type,user_id',
            'id,revision,x,y', 'attributes,id,revision,type', 'id,revision,title'
        ]);
        expect(told.saved[2]?.thing).to.include({ revision: 2, attributes: { a: 1 }, styles: { a: 1 } });
        expect(told.saved[0]?.thing).to.include({ title: 'New', description: '' });
    });

    it('does not remove what somebody else has just changed', async () => {
        const project = await author.project();
        const element = await author.element(project.page);
        const { body } = await on.test.call('GET', project.page.url);
        await author.call('PATCH', element.url, { styles: { left: 1 } });
        const bases = { project: project.thing, page: body.page, element: element.thing };
        const told = await save('Node', bases, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            const codes: string[] = [];
            for (const change of [
                { type: 'projects' as const, method: 'remove' as const, base: given.project },
                { type: 'pages' as const, method: 'remove' as const, base: given.page },
                { type: 'elements' as const, method: 'remove' as const, base: given.element }
            ]) {
                const error = await client.save([change]).catch((reason: unknown) => reason);
                codes.push(error instanceof pagewright.SaveError && error.change === change ? `${error.code} ${error.current?.revision}` : String(error));
            }

            return codes;
        });
        expect(told).to.equal(['revision_conflict 3', 'revision_conflict 3', 'revision_conflict 2']);

        const now = (await on.test.call('GET', project.page.url)).body.page;
        const removed = await save('Node', { now }, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            return (await client.save([{ type: 'elements', method: 'remove', base: given.now.elements[0] }])).things;
        });
        expect(removed).to.equal([{ type: 'elements', id: element.id, thing: null }]);
    });

    it('reports which change caused any other error', async () => {
        const project = await author.project();
        const element = await author.element(project.page);
        await author.call('DELETE', element.url);
        const told = await save('Node', { page: project.page.id, base: element.thing, project: project.id }, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            const refused: object[] = [];
            const good = { type: 'elements' as const, method: 'create' as const, id: 'good', data: { pageId: given.page, type: 'text' } };
            for (const change of [
                { type: 'elements' as const, method: 'update' as const, base: given.base, data: { styles: {} } },
                { type: 'pages' as const, method: 'create' as const, id: 'there', data: { projectId: given.project, x: 0, y: 0 } },
                { type: 'projects' as const, method: 'create' as const, id: 'untitled', data: { title: '' } }
            ]) {
                const error = await client.save([good, change]).catch((reason: unknown) => reason);
                refused.push(error instanceof pagewright.SaveError ? { code: error.code, index: error.index, paths: error.details.map(({ path }) => path) } : { error: String(error) });
            }

            client.signInWith({ ...given.session, token: 'x' });
            const other = await client.save([good]).catch((reason: unknown) => reason);
            return { refused, other: other instanceof pagewright.PagewrightError && other.name };
        });
        expect(told).to.equal({
            refused: [
                { code: 'not_found', index: 1, paths: [] },
                { code: 'coordinates_taken', index: 1, paths: [] },
                { code: 'validation_failed', index: 1, paths: ['changes.1.data.title'] }
            ],
            other: 'PagewrightError'
        });
        expect((await on.test.call('GET', `${project.page.url}/elements`)).body.elements).to.equal([]);
    });

    it('sends nothing that does not fit into one save', async () => {
        const told = await save('Node', {}, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            const element = (id: string, pageId = '1', text = '') => ({ type: 'elements' as const, method: 'create' as const, id, data: { pageId, type: 'text', attributes: { text } } });
            const base = { id: '5', revision: 1 };
            const failures: string[] = [];
            for (const changes of [
                Array.from({ length: 1001 }, (_, n) => element(`e${n}`)),
                Array.from({ length: 6 }, (_, n) => element(`e${n}`, '1', 'é'.repeat(1_000_000))),
                [element('a'), element('a')],
                [{ type: 'pages' as const, method: 'update' as const, base, data: { x: 1 } }, { type: 'pages' as const, method: 'remove' as const, base }],
                [element('7')],
                [element('a', 'nowhere')]
            ]) {
                failures.push(await client.save(changes).then(() => 'saved', (error: unknown) => String(error)));
            }

            return failures;
        });
        const patterns = [/^RangeError.* 1001 actions/, /^RangeError.* 12000\d{3} bytes/, /^TypeError.*two changes of a:/, /^TypeError.*two changes of pages 5:/, /^TypeError.*7 cannot be/, /^TypeError.*nowhere is neither/];
        for (const [n, pattern] of patterns.entries()) {
            expect(told[n]).to.match(pattern);
        }

        expect(on.requests).to.equal([]);
    });
});
