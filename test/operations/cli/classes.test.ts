import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { Cast } from '../../support/cast';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the commands for classes', () => {
    let test: TestServer;
    let cast: Cast;
    let host: FakeHost;

    before(async () => {
        test = await startTestServer();
        cast = new Cast(test);
    });

    after(() => test.stop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        return run(argv, host);
    };

    const call = (who: Actor, method: string, url: string, body?: unknown): Promise<Answer> => test.call(method, url, body, { token: who.token });

    it('list classes, and restore one with the accounts that were removed with it, which it manages again', async () => {
        const ada = await cast.actor();
        expect(await admin('grant', ada.username, 'teacher')).to.equal(0);
        const { body: { class: { id } } } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', publish: 'nobody' });
        const url = `/classes/${id}`;
        const { body: { pupils } } = await call(ada, 'POST', `${url}/pupils`, { names: ['Ana', 'Ben', 'Cem'] });
        const [ana, ben, cem] = await Promise.all(pupils.map(async ({ user }: { user: Actor }) => ({ ...user, token: await cast.token(user.id) }))) as [Actor, Actor, Actor];
        const { body: { assignment } } = await call(ada, 'POST', `${url}/assignments`, { title: 'A story' });
        const works = `${url}/assignments/${assignment.id}/work`;
        const { body: { work } } = await call(ana, 'POST', works, {});
        await call(ana, 'PATCH', `${works}/${work.id}`, { state: 'handed_in' });
        const point = `/users/${ana.id}/projects/${work.project_id}/history/1`;
        const { text: seen } = await call(ada, 'GET', point);

        // Ben is an ordinary account before, and Cem is removed before.
        expect((await call(ada, 'DELETE', `${url}/pupils/${ben.id}`, {})).status).to.equal(200);
        expect((await call(ada, 'DELETE', `${url}/pupils/${cem.id}?account=remove`, {})).status).to.equal(200);
        expect(await admin('restore-class', id)).to.equal(1);
        expect(host.err).to.equal(`There is no deleted class with the id ${id}.\n`);
        expect((await call(ada, 'DELETE', `${url}?accounts=remove`, {})).status).to.equal(200);
        expect((await call(ada, 'GET', url)).status).to.equal(404);
        expect((await call(ada, 'GET', point)).status).to.equal(404);

        expect(await admin('classes')).to.equal(0);
        const today = new Date().toISOString().slice(0, 10);
        expect(host.out).to.equal(`id\ttitle\tteachers\tpupils\tcreated\tdeleted\n${id}\tYear 5\t${ada.username}\t0\t${today}\t${today}\n`);
        expect(await admin('restore-class', id), host.err).to.equal(0);
        expect(host.out).to.equal('The class "Year 5" was restored. Accounts: 1.\n');
        expect((await call(ada, 'GET', url)).body.pupils.map(({ name, managed }: { name: string; managed: boolean }) => [name, managed])).to.equal([['Ana', true]]);
        expect(JSON.parse((await call(ada, 'GET', point)).text).pages).to.equal(JSON.parse(seen).pages);
        const again = { ...ana, token: await cast.token(ana.id) };
        expect((await call(again, 'GET', `/users/me/projects/${work.project_id}`)).status).to.equal(200);
        expect((await call(again, 'POST', '/users/me/projects', { title: 'Mine', visibility: 'public' })).body.code).to.equal('publish_bound');
        const { rows } = await test.database.db.raw('select audience from class_projects where class_id = ?', [id]);
        expect(rows).to.equal([{ audience: 'teachers' }]);
        expect(await admin('classes')).to.equal(0);
        expect(host.out).to.contain(`\t1\t${today}\t-\n`);
    });
});
