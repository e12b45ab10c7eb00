import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { notOnCluster } from '../../support/on-cluster';
import { planOf } from '../../support/plans';
import { queriesOf } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the plans of the statements of a bulk', notOnCluster('the coordinator has no plans of what shards do'), () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    it('do not read all elements, also if PostgreSQL\'s statistics are of when all elements were on one page', async () => {
        const { db } = server.database;
        const project = await ada.project();
        await db.raw('alter table elements set (autovacuum_enabled = off)');
        await db.raw(`insert into elements (page_id, type) select ?, 'x' from generate_series(1, 50)`, [project.page.id]);
        await db.raw('analyze elements');

        const { rows } = await db.raw('insert into pages (project_id, x, y, element_count) select ?, n, 1, 30 from generate_series(1, 999) n returning id', [project.id]);
        const ids: string[] = rows.map(({ id }: { id: string }) => id);
        await db.raw(`insert into elements (page_id, type) select g, 'x' from unnest(?::bigint[]) g, generate_series(1, 30)`, [ids]);
        const { rows: [element] } = await db.raw('select max(id) as id from elements');

        const actions = [
            { type: 'pages', method: 'update', data: { id: ids[7], x: -7 } },
            { type: 'elements', method: 'update', data: { id: element.id, styles: {} } }
        ];
        const sent = await queriesOf(async () => {
            const { status, text } = await ada.call('POST', `/users/${ada.id}/bulk`, { actions });
            expect(status, text).to.equal(200);
        });
        const loads = sent.filter(({ text }) => /\b(?:from|join) elements\b/.test(text) && !/\b(?:insert into|update) (?:projects|pages|elements)\b/.test(text));
        expect(loads.length).to.be.at.least(3);
        for (const load of loads) {
            const { whole, mostRead, steps } = await planOf(db, load);
            const said = `${load.text}\n${steps.join('\n')}`;
            expect(whole, said).to.not.include('elements');
            expect(mostRead, said).to.be.at.most(2100);
        }
    });
});
