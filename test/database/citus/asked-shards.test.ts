import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { apart, distributedDatabase } from '../../support/cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

const SHARDS = 4;

describe('the shards that a request asks', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    let project: MadeProject;
    let element: Made;

    before(async () => {
        const database = await distributedDatabase(SHARDS);
        await apart(database, (db) => db.raw(`
            create table asked (shard bigint);
            alter function rows_in_shard rename to rows_of_shard;
            create function rows_in_shard(shard bigint, sql text, params text[]) returns text[] language plpgsql as $f$
            begin
                insert into public.asked values (shard);
                return public.rows_of_shard(shard, sql, params);
            end $f$`));
        server = await startTestServer({ database });
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        project = await ada.project();
        element = await ada.element(project.page);
        // So that there is something to ask each shard for.
        for (let n = 0; n < 2 * SHARDS; ++n) {
            await ada.project();
        }
    });

    after(() => server.stop());

    const askedBy = async (method: string, url: string, body?: unknown, by = ada): Promise<number> => {
        await server.database.db.raw('truncate asked');
        const { status, text } = await by.call(method, url, body);
        expect(status, `${method} ${url}: ${text}`).to.be.below(300);
        const { rows: [{ n }] } = await server.database.db.raw('select count(distinct shard)::int as n from asked');
        return n;
    };

    it('are one for each route of a project, a page and an element', async () => {
        const { id, url, page } = project;
        const gone = { project: await ada.project(), page: await ada.page(project, { x: 5, y: 5 }), element: await ada.element(page) };
        const requests: [method: string, url: string, body?: unknown, by?: Author][] = [
            ['GET', `/projects/${id}`], ['GET', url], ['PATCH', url, { title: 'New' }], ['DELETE', gone.project.url], ['PATCH', `${url}/feature`, { featured: true }, moderator],
            ['POST', `/users/${ada.id}/projects`, { title: 'Another' }], ['POST', `/view-project/${id}`],
            ['GET', `${url}/pages`], ['POST', `${url}/pages`, { x: 1, y: 1 }], ['GET', page.url], ['PATCH', page.url, { x: 7 }], ['DELETE', gone.page.url],
            ['GET', `${page.url}/elements`], ['POST', `${page.url}/elements`, { type: 'text' }], ['GET', element.url], ['PATCH', element.url, { styles: { left: 1 } }], ['DELETE', gone.element.url],
            ['POST', `${url}/remixes`], ['GET', `${url}/lineage`], ['GET', `${url}/history`], ['GET', `${url}/changes?since=0`], ['GET', `${url}/members`]
        ];
        const found: Record<string, number> = {};
        for (const [method, path, body, by] of requests) {
            found[`${method} ${path}`] = await askedBy(method, path, body, by);
        }

        expect(Object.entries(found).filter(([, n]) => n !== 1)).to.equal([]);
    });

    it('are all for a list of projects, and for a bulk', async () => {
        // Remixes that were made before the database was distributed are anywhere.
        for (const path of ['/projects', '/discover', '/projects/tagged/tag', '/search?q=project', '/trending', `${project.url}/remixes`, `/users/${ada.id}/projects`, `/users/${ada.id}/trash`]) {
            expect(await askedBy('GET', path), path).to.equal(SHARDS);
        }

        const actions = [{ type: 'elements', method: 'update', data: { id: element.id, styles: {} } }];
        expect(await askedBy('POST', `/users/${ada.id}/bulk`, { actions })).to.equal(SHARDS);
    });
});
