import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and the history of a project', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`lists changes, looks back, labels and restores, in ${host}`, async () => {
            const author = await openAuthor(on.test);
            const project = await author.project({ title: 'One' });
            const element = await author.element(project.page, { attributes: { text: 'first' } });
            await author.call('PATCH', element.url, { attributes: { text: 'second' } });
            await author.call('PATCH', project.url, { title: 'Two' });
            const given = { session: sessionOf(author), place: { id: project.id, user_id: author.id }, page: project.page.id };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, place, page } }) => {
                const client = pagewright.createClient(`${url}/`);
                client.signInWith(session);
                const listed: [number, string][] = [];
                for await (const { revision, kind } of client.history.list(place, { count: 3 })) {
                    listed.push([revision, kind]);
                }

                const then = await client.history.at(place, 2);
                const labelled = await client.history.label(place, 2, 'The first text');
                const unlabelled = await client.history.unlabel(place, 2);
                const missed = await client.history.label(place, 99, 'Nothing').catch((error: unknown) => error instanceof pagewright.PagewrightError && error.code);
                const since = await client.history.since(place, 3);
                const some = await client.history.restore(place, 2, { pages: [page] });
                const all = await client.history.restore(place, 2);
                const none = await client.history.restore(place, 2);
                const again = await client.history.undo(place, 3);
                const undone = await client.history.undo(place, all.change?.revision ?? 0);
                const { change: redone } = await client.history.undo(place, undone.change?.revision ?? 0);
                await client.history.restore(place, 3);
                const kept = await client.history.undo(place, 2).catch((error: unknown) => error instanceof pagewright.PagewrightError && [error.code, error.changedSince.map(({ type }) => type), error.conflicts]);
                const [now] = await client.projects.pages(place);
                return {
                    listed, then: [then.revision, then.project.title, then.pages[0]?.elements[0]?.attributes.text], labels: [labelled.label, unlabelled.label], missed,
                    since: [since.project?.title, since.pages.length, since.elements.length, since.removed], some: some.project.title, all: [all.project.title, all.change?.kind], none: none.change, again: again.change, undone: undone.change?.kind, redone: redone?.kind, kept,
                    now: now?.elements[0]?.attributes.text
                };
            });
            expect(told).to.equal({
                listed: [[4, 'edit'], [3, 'edit'], [2, 'edit'], [1, 'create']],
                then: [2, 'One', 'first'], labels: ['The first text', null], missed: 'validation_failed',
                since: ['Two', 0, 0, { pages: [], elements: [] }], some: 'Two', all: ['One', 'restore'], none: null, again: null, undone: 'undo', redone: 'undo', kept: ['undo_conflict', ['element'], []], now: 'second'
            });
        });

        it(`undoes a move of a page, and a change of its styles, without touching its elements, in ${host}`, async () => {
            const author = await openAuthor(on.test);
            const project = await author.project({ title: 'Moves' });
            const given = { session: sessionOf(author), place: { id: project.id, user_id: author.id }, page: project.page.id };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, place, page: pageId } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                await client.save([{ type: 'elements', method: 'create', id: 'a', data: { pageId, type: 'text', attributes: { text: 'Here' } } }]);
                await client.save([{ type: 'elements', method: 'create', id: 'b', data: { pageId, type: 'text', attributes: { text: 'Too' } } }]);
                const { value: creation } = await client.history.list(place).next();
                const [base] = await client.projects.pages(place);
                if (base === undefined || creation === undefined) {
                    return null;
                }

                const { elements: _elements, ...page } = base;
                const [element] = base.elements;
                const counts: unknown[] = [];
                for (const data of [{ x: 7, y: 8 }, { styles: { background: 'red' } }]) {
                    await client.save([{ type: 'pages', method: 'update', base: page, data }]);
                    const { value: latest } = await client.history.list(place).next();
                    counts.push((await client.history.undo(place, latest?.revision ?? 0)).change?.counts.elements);
                }

                const [now] = await client.projects.pages(place);
                const saved = element && await client.save([{ type: 'elements', method: 'update', base: element, data: { attributes: { text: 'There' } } }]);
                const [thing] = saved?.things ?? [];
                const was = { revision: element?.revision, x: page.x, styles: page.styles };
                const is = { revision: now?.elements[0]?.revision, x: now?.x, styles: now?.styles };
                await client.history.undo(place, creation.revision);
                return { counts, was, is, next: (thing?.thing?.revision ?? 0) - (element?.revision ?? 0), left: (await client.projects.pages(place))[0]?.elements.length };
            });
            const none = { created: 0, updated: 0, removed: 0 };
            expect(told).to.include({ counts: [none, none], next: 1, left: 1 });
            expect(told?.is).to.equal(told?.was);
        });

        it(`lists the trash, and restores or deletes what is in it, in ${host}`, async () => {
            const author = await openAuthor(on.test);
            const project = await author.project({ title: 'Gone' });
            const page = await author.page(project, { x: 1, y: 0 });
            const element = await author.element(project.page, { attributes: { text: 'Here' } });
            await author.call('DELETE', element.url);
            await author.call('DELETE', page.url);
            await author.page(project, { x: 1, y: 0 });
            await author.call('DELETE', project.url);
            const told = await on.run(host, { session: sessionOf(author) }, async ({ pagewright, url, given }) => {
                const client = pagewright.createClient(url);
                client.signInWith(given.session);
                const entries = [];
                for await (const entry of client.trash.list({ count: 2 })) {
                    entries.push(entry);
                }

                const [first, second, third] = entries;
                if (first === undefined || second === undefined || third === undefined) {
                    throw new Error(`There are ${entries.length} entries`);
                }

                const failures: unknown[] = [];
                const note = (error: unknown): void => void failures.push(error instanceof pagewright.PagewrightError && error.code);
                await client.trash.restore(second).catch(note);
                const restored = [await client.trash.restore(first)];
                await client.trash.restore(second).catch(note);
                restored.push(await client.trash.restore(second, { x: 2, y: 0 }));
                await client.trash.delete(third);
                await client.trash.restore(third).catch(note);
                return { types: entries.map(({ type, project: { title } }) => [type, title]), failures, restored: restored.map(({ type, thing: { id } }) => [type, id]) };
            });
            expect(told).to.equal({
                types: [['project', 'Gone'], ['page', 'Gone'], ['element', 'Gone']],
                failures: ['parent_deleted', 'coordinates_taken', 'not_found'],
                restored: [['project', project.id], ['page', page.id]]
            });
        });
    }
});
