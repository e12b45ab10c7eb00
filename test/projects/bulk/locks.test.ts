import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { openAuthor, waiting } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const action = (type: string, method: string, data: object): object => ({ type, method, data });

describe('a bulk and concurrent writers', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let element: Made;

    before(async () => {
        server = await startTestServer();
    });

    beforeEach(async () => {
        ada = await openAuthor(server);
        project = await ada.project();
        element = await ada.element(project.page);
    });

    after(() => server.stop());

    /** The response of a bulk that starts while another one writes, and whether it waited for the other one. */
    const beside = async (write: (trx: Knex.Transaction) => Promise<unknown>, actions: object[]): Promise<{ answer: Answer; waited: boolean }> => {
        const trx = await server.database.db.transaction();
        let answered = false;
        let waited = false;
        await write(trx);
        const answering = ada.bulk(actions).finally(() => {
            answered = true;
        });
        while (!answered && !waited) {
            waited = await waiting(server) > 0;
            await sleep(1);
        }

        await trx.commit();
        return { answer: await answering, waited };
    };

    it('waits for writers of its project, and continues with their result', async () => {
        const changes = [action('elements', 'update', { id: element.id, styles: { a: 1 }, revision: 1 })];
        const { answer, waited } = await beside(async (trx) => {
            await trx.raw('update projects set revision = revision + 1, counted_revision = counted_revision + 1 where id = ?', [project.id]);
            await trx.raw(`update elements set styles = '{"b":2}', revision = 2 where id = ?`, [element.id]);
        }, changes);
        expect(waited).to.be.true();
        expect(answer.body, answer.text).to.include({ statusCode: 409, code: 'revision_conflict' });
        expect(answer.body.current).to.include({ revision: 2, styles: { b: 2 } });
    });

    it('does not wait for writers of other projects, also of the same user', async () => {
        const other = await ada.project();
        await ada.element(other.page);
        const kinds = [
            action('projects', 'update', { id: project.id, title: 'x' }), action('pages', 'update', { id: project.page.id, styles: {} }), action('elements', 'update', { id: element.id, styles: {} })
        ];
        for (const change of kinds) {
            const { answer, waited } = await beside((trx) => trx.raw('select from projects where id = ? for update', [other.id]), [change]);
            expect(answer.status, answer.text).to.equal(200);
            expect(waited, JSON.stringify(change)).to.be.false();
        }
    });

    it('does not wait for, or delay, writers of things that it may not change', async () => {
        const eve = await openAuthor(server);
        const theirs = await eve.project();
        const denied = [action('projects', 'update', { id: project.id, title: 'x' }), action('pages', 'update', { id: theirs.page.id, styles: {} })];
        const { answer, waited } = await beside((trx) => trx.raw('select from projects where id = ? for update', [theirs.id]), denied);
        expect(answer.body).to.include({ statusCode: 403, action: 1 });
        expect(waited).to.be.false();

        const moderator = await openAuthor(server, undefined, { moderator: true });
        expect((await moderator.bulk([action('projects', 'remove', { id: theirs.id })])).status).to.equal(200);
    });

    it('waits for the deletion of its user, and then finds no user', async () => {
        const { answer, waited } = await beside((trx) => trx.raw('update users set deleted_at = now() where id = ?', [ada.id]), [action('projects', 'create', { title: 'late' })]);
        expect(waited).to.be.true();
        expect(answer.body, answer.text).to.include({ statusCode: 404, code: 'not_found' });
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });
});
