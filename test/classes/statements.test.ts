import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { Cast } from '../support/cast';
import { notInShards } from '../support/on-cluster';
import { queriesOf } from '../support/queries';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a write in a class', notInShards('a statement is several there'), () => {
    let server: TestServer;
    let ada: Actor;
    let ben: Actor;
    let url: string;

    const call = (who: Actor, method: string, path: string, body: object): Promise<Answer> => server.call(method, path, body, { token: who.token });

    before(async () => {
        server = await startTestServer({ pool: 1 });
        const cast = new Cast(server);
        [ada, ben] = [await cast.teacher(), await cast.actor()];
        const { body } = await call(ada, 'POST', '/users/me/classes', { title: 'Year 5', show: 'after a look' });
        url = `/classes/${body.class.id}`;
        expect((await call(ben, 'POST', '/classes', { code: body.code })).status).to.equal(200);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** The number of statements of a change between `begin` and `commit`, without the one that names the session. */
    const statementsOf = async (who: Actor, path: string, body: object): Promise<number> => {
        const sent = await queriesOf(async () => {
            const { status, text } = await call(who, 'PATCH', path, body);
            expect(status, text).to.equal(200);
        });
        const texts = sent.map(({ text }) => text.toLowerCase());
        const begin = texts.findIndex((text) => text.startsWith('begin'));
        expect(begin).to.be.at.least(0);
        return texts.slice(begin + 1, texts.indexOf('commit;')).filter((text) => !text.includes(`set_config('application_name'`)).length;
    };

    it('takes at most four statements: a hand-in, an assignment, the settings', async () => {
        const { body: { project: template } } = await call(ada, 'POST', '/users/me/projects', { title: 'Beginning' });
        const { body: { assignment } } = await call(ada, 'POST', `${url}/assignments`, { title: 'A story' });
        const at = `${url}/assignments/${assignment.id}`;
        const { body: { work } } = await call(ben, 'POST', `${at}/work`, {});
        const workAt = `${at}/work/${work.id}`;
        const handIn = { state: 'handed_in' };

        expect({
            handedIn: await statementsOf(ben, workAt, handIn),
            again: await statementsOf(ben, workAt, handIn),
            takenBack: await statementsOf(ben, workAt, { state: 'started' }),
            atAPoint: await statementsOf(ben, workAt, { ...handIn, point: 1 }),
            returned: await statementsOf(ada, workAt, { state: 'returned', note: 'More of it' }),
            assignment: await statementsOf(ada, at, { title: 'A long story', due_at: '2036-04-01T12:00:00Z' }),
            template: await statementsOf(ada, at, { template: template.id }),
            title: await statementsOf(ada, url, { title: 'Year 6', comments: true }),
            code: await statementsOf(ada, url, { code: true }),
            shown: await statementsOf(ada, url, { show: 'at once' }),
            bounds: await statementsOf(ada, url, { publish: 'nobody' })
        }).to.equal({ handedIn: 4, again: 3, takenBack: 2, atAPoint: 4, returned: 2, assignment: 2, template: 3, title: 2, code: 2, shown: 4, bounds: 4 });
    });

    it('takes no more if a webhook is told of a hand-in', async () => {
        await server.database.db.raw(`insert into webhooks (user_id, url, events, secret) values (?, 'https://hooks.example/', '{work.handed_in}', sha256('x'))`, [ada.id]);
        await server.database.db.raw('insert into webhook_watches (watched, webhook_id) select -user_id, id from webhooks where user_id = ? on conflict do nothing', [ada.id]);
        const { body: { assignment } } = await call(ada, 'POST', `${url}/assignments`, { title: 'A poem' });
        const { body: { work } } = await call(ben, 'POST', `${url}/assignments/${assignment.id}/work`, {});
        expect(await statementsOf(ben, `${url}/assignments/${assignment.id}/work/${work.id}`, { state: 'handed_in' })).to.equal(4);
        const { rows } = await server.database.db.raw('select told, data from webhook_events where project_id = ?', [work.project_id]);
        expect(rows).to.have.length(1);
        expect(rows[0].told).to.equal([ada.id, ben.id]);
        expect(rows[0].data).to.include({ assignment: { id: assignment.id, class_id: url.slice('/classes/'.length), title: 'A poem' } });
    });
});
