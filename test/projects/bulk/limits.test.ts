import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, openAuthor, waiting } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { notOnCluster } from '../../support/on-cluster';
import { interrupted, queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { putElements } from '../../support/sizes';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const MIB = 1024 * 1024;
const action = (type: string, method: string, data: object): object => ({ type, method, data });
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const text = (length: number): object => ({ text: 'x'.repeat(length - 11) });

describe('the limits of a bulk', () => {
    let server: TestServer;
    let ada: Author;
    let now = Date.now();

    before(async () => {
        server = await startTestServer({ now: () => now });
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    /** The response of a bulk that must succeed. */
    const succeed = async (actions: object[]): Promise<Answer> => {
        const answer = await ada.bulk(actions);
        expect(answer.body.status, answer.text.slice(0, 500)).to.equal('success');
        expect(answer.body.results).to.have.length(actions.length);
        return answer;
    };

    /** A page with a number of elements, each with this many bytes of `attributes` and of `styles`. */
    const largePage = async (project: MadeProject, x: number, elements: number, bytes: number): Promise<Made> => {
        const page = await ada.page(project, { x, y: 1 });
        await server.database.db.raw(`
            insert into elements (page_id, project_id, type, attributes, styles) select g.id, g.project_id, 'x', json_build_object('n', n, 'text', repeat('x', ?)), json_build_object('text', repeat('x', ?)) from pages g, generate_series(1, ?::int) n where g.id = ?`,
        [bytes, bytes, elements, page.id]);
        await server.database.db.raw('update pages set element_count = ? where id = ?', [elements, page.id]);
        return page;
    };

    it('return a complete thing once, and again only while the response is small', async () => {
        const { page, id } = await ada.project();
        const element = await ada.element(page, { attributes: text(300 * 1024) });
        await ada.call('PATCH', page.url, { styles: text(300 * 1024) });
        const { body: { results }, text: answer } = await succeed([
            ...times(350, (n) => action('pages', 'update', { id: page.id, x: n })), ...times(200, () => action('elements', 'update', { id: element.id, styles: {} })),
            ...times(100, () => action('projects', 'update', { id, title: 'x' })), action('pages', 'remove', { id: page.id })
        ]);
        expect(answer.length).to.be.below(2 * MIB);
        expect(results[0]).to.include({ id: page.id, x: 0 });
        expect(results[0].elements[0].attributes.text).to.have.length(300 * 1024 - 11);
        // What fits is returned completely again.
        expect(results[0].styles).to.equal(text(300 * 1024));
        for (const n of [2, 3, 349]) {
            expect(results[n]).to.equal({ id: page.id, revision: results[0].revision, type: 'pages', method: 'update' });
        }

        expect(results[350].attributes).to.equal(text(300 * 1024));
        expect(results[549]).to.equal({ id: element.id, revision: 201, type: 'elements', method: 'update' });
        expect(results[550]).to.include({ title: 'x', thumbnail: {} });
        expect(results[650]).to.equal({ status: 'deleted', id: page.id, type: 'pages', method: 'remove' });
    });

    it('always return small things completely', async () => {
        const { page } = await ada.project();
        const element = await ada.element(page);
        const { body: { results } } = await succeed(times(300, (n) => action('elements', 'update', { id: element.id, attributes: { n } })));
        expect(results[299]).to.include({ attributes: { n: 299 }, revision: 301, element_type: 'text' });
    });

    it('load and return 32 MiB of elements, and change all others too', async () => {
        const project = await ada.project();
        const pages = [await largePage(project, 1, 8, MIB), await largePage(project, 2, 8, MIB), await largePage(project, 3, 8, MIB)];
        const { body: { results }, text: answer } = await succeed(pages.map(({ id }, n) => action('pages', 'update', { id, x: n + 11 })));
        expect(answer.length).to.be.within(16 * MIB, 32 * MIB);
        expect(results[0].elements).to.have.length(8);
        expect(results[2]).to.equal({ id: pages[2]?.id, revision: 2, type: 'pages', method: 'update' });

        const [db, ids] = [server.database.db, pages.map(({ id }) => id)];
        expect(await db('pages').where({ id: String(pages[2]?.id) }).select('x')).to.equal([{ x: 13 }]);
        const { rows } = await db.raw('select id from elements where page_id = any(?) order by id', [ids]);
        const changed = await succeed([...rows, rows[23]].map(({ id }: { id: string }) => action('elements', 'update', { id, styles: { new: true } })));
        expect(changed.body.results[0].styles).to.equal({ new: true });
        expect(changed.body.results[0].attributes.n).to.equal(1);
        expect(changed.body.results[23]).to.equal({ id: rows[23].id, revision: 3, type: 'elements', method: 'update' });
        expect(changed.body.results[24]).to.equal({ id: rows[23].id, revision: 3, type: 'elements', method: 'update' });
        expect(await count(server, `from elements where page_id = any(?) and styles ->> 'new' = 'true' and json_typeof(attributes -> 'n') = 'number'`, [ids as never])).to.equal(24);

        // A value that the action sets completely can be returned, whether the old one was loaded or not.
        const given = await succeed(rows.map(({ id }: { id: string }) => action('elements', 'update', { id, attributes: {}, styles: {} })));
        expect(given.body.results[23]).to.include({ attributes: {}, styles: {} });
    });

    it('return the complete current state of a conflict, whatever other actions have loaded, unless it is too large', async () => {
        const project = await ada.project();
        const [page, last, huge] = [await largePage(project, 1, 8, 2 * MIB - 100), await largePage(project, 2, 2, MIB), await largePage(project, 3, 9, 2 * MIB - 100)];
        const [element] = (await server.database.db.raw('select id from elements where page_id = ?', [last.id])).rows;
        const first = action('pages', 'update', { id: page.id, x: 9 });
        const { body: conflict } = await ada.bulk([first, action('elements', 'update', { id: element.id, styles: {} }), action('elements', 'remove', { id: element.id, revision: 1 })]);
        expect(conflict).to.include({ code: 'revision_conflict', action: 2 });
        expect(conflict.current).to.include({ id: element.id, revision: 2, styles: {}, attributes: { n: 1, text: 'x'.repeat(MIB) } });

        const { body: whole } = await ada.bulk([first, action('pages', 'remove', { id: last.id, revision: 7 })]);
        expect(whole.current.elements).to.have.length(2);
        const { body: tooLarge } = await ada.bulk([action('pages', 'remove', { id: huge.id, revision: 7 })]);
        expect(tooLarge).to.include({ code: 'revision_conflict', action: 0, message: 'The page has changed since the revision that your request is based on. It is too large to be shown here: read it, merge, and send the request again.' });
        expect(tooLarge.current).to.be.undefined();
        const { body: { current } } = await ada.bulk([action('projects', 'remove', { id: project.id, revision: 7 })]);
        expect(current.title).to.equal('A project');
    });

    it('load 16 MiB of pages\' styles, and keep the others', async () => {
        const project = await ada.project();
        const pages = await Promise.all(times(9, (n) => ada.page(project, { x: n, y: 1, styles: text(2 * MIB - 100) })));
        const { body: { results } } = await succeed(pages.map(({ id }, n) => action('pages', 'update', { id, x: n + 20 })));
        // Those that were made first.
        const [last, ...loaded] = pages.map(({ id }) => id).sort((a, b) => Number(b) - Number(a));
        const shown = results.filter(({ styles }: { styles?: object }) => styles !== undefined).map(({ id }: Made) => id).sort((a: string, b: string) => Number(b) - Number(a));
        expect(shown).to.equal(loaded);
        expect(results.find(({ id }: Made) => id === last)).to.equal({ id: last, revision: 2, type: 'pages', method: 'update' });
        for (const { url } of pages) {
            expect((await server.call('GET', url)).body.page.styles.text).to.have.length(2 * MIB - 111);
        }
    });

    it('load 4 MiB of thumbnails, and keep the others', notOnCluster('each shard may load as many bytes'), async () => {
        const thumbnail = Object.fromEntries(times(1000, (n) => [n + 1, `https://example.com/${'x'.repeat(1980)}`]));
        const projects = [await ada.project(), await ada.project(), await ada.project()];
        // From before the limit.
        await server.database.db.raw('update projects set thumbnail = ? where id = any(?)', [JSON.stringify(thumbnail), projects.map(({ id }) => id)]);
        const { body: { results } } = await succeed(projects.map(({ id }) => action('projects', 'update', { id, title: 'x' })));
        expect(Object.keys(results[0].thumbnail)).to.have.length(1000);
        expect(results[2]).to.equal({ id: projects[2]?.id, revision: 2, type: 'projects', method: 'update' });
        for (const { url } of projects) {
            const { body: { project } } = await server.call('GET', url);
            expect(project.title).to.equal('x');
            expect(JSON.stringify(project.thumbnail) === JSON.stringify(thumbnail)).to.be.true();
        }
    });

    it('do not read the elements of pages that would not fit', async () => {
        const project = await ada.project();
        const pages = [await ada.page(project, { x: 1, y: 1 }), await ada.page(project, { x: 2, y: 1 })];
        for (const { id } of pages) {
            await putElements(server.database.db, id, 5, 2 * MIB, 2 * MIB);
        }

        const sent = await queriesOf(async () => {
            const { body: { results } } = await succeed(pages.map(({ id }, y) => action('pages', 'update', { id, y: 5 + y })));
            expect(results[0].elements).to.have.length(5);
            expect(results[1]).to.equal({ id: pages[1]?.id, revision: 2, type: 'pages', method: 'update' });
        });
        expect(sent.find(({ text: sql }) => sql.includes('attributes_bytes'))?.rows).to.equal(5);
    });

    it('load 40,000 elements of pages', async () => {
        const project = await ada.project();
        const pages = await Promise.all(times(41, (n) => largePage(project, n, 1000, 1)));
        const { body: { results } } = await succeed(pages.map(({ id }) => action('pages', 'update', { id, styles: {} })));
        expect(results.filter(({ elements }: { elements?: object[] }) => elements?.length === 1000)).to.have.length(40);
        // The missing one is looked up only once, however many refer to it.
        await succeed([...pages.map(({ id }) => action('pages', 'update', { id, styles: {} })), ...times(900, (n) => action('pages', 'update', { id: `$${n % 41}.id`, styles: { n } }))]);
    });

    it('reject moves among more than 20,000 pages', async () => {
        const projects = await Promise.all(times(21, () => ada.project()));
        const ids = projects.map(({ id }) => id);
        await server.database.db.raw('insert into pages (project_id, x, y) select p, n, 1 from unnest(?::bigint[]) p, generate_series(1, 999) n', [ids]);
        await server.database.db.raw('update projects set page_count = 1000 where id = any(?)', [ids]);
        const change = projects.map(({ page: { id } }) => action('pages', 'update', { id, x: 7 }));
        expect((await ada.bulk(change)).body).to.include({ statusCode: 400, code: 'bulk_too_large' });
        expect((await ada.bulk([...change.slice(1), action('pages', 'update', { id: `$0.id`, y: 7 })])).status).to.equal(200);
        const [first, ...others] = projects;
        // Pages that are found only later count too.
        const later = [...others.map(({ page }) => action('pages', 'update', { id: page.id, y: 8 })), action('projects', 'update', { id: first?.id, title: 'x' }), action('pages', 'create', { projectId: '$20.id', x: 3, y: 3 })];
        expect((await ada.bulk(later)).body).to.include({ statusCode: 400, code: 'bulk_too_large' });
    });

    it('stop it after ten seconds with nothing done', async () => {
        const { id, url } = await ada.project();
        const late = await interrupted(/for no key update/, () => {
            now += 10_001;
            return Promise.resolve();
        }, () => ada.bulk([action('projects', 'update', { id, title: 'late' })]));
        expect(late.body).to.include({ statusCode: 503, code: 'bulk_stopped' });
        expect((await server.call('GET', url)).body.project.title).to.equal('A project');
    });

    it('stop it when its client disconnects, with nothing done', async () => {
        const { id, url } = await ada.project();
        await server.server.start();
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for update', [id]);
        const closed = new Promise((resolve) => {
            server.server.listener.once('request', (_request, response) => response.once('close', resolve));
        });
        const client = httpRequest(`${server.server.info.uri}/users/${ada.id}/bulk`, { method: 'POST', headers: { 'authorization': `token ${ada.token}`, 'content-type': 'application/json' } });
        client.on('error', () => undefined);
        client.end(JSON.stringify({ actions: [action('projects', 'update', { id, title: 'nobody waits' })] }));
        while (await waiting(server) === 0) {
            await sleep(5);
        }

        client.destroy();
        await closed;
        await lock.rollback();
        // A second bulk waits for the first.
        expect((await ada.bulk([action('projects', 'update', { id, description: 'after' })])).status).to.equal(200);
        expect((await server.call('GET', url)).body.project).to.include({ title: 'A project', description: 'after', revision: 2 });
    });
});
