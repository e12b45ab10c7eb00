import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { count, openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = script();

/** Milliseconds. A nested loop over the rows before and after takes three times as long, and much more on a busy machine; without one it is some tenths of a second. */
const MOST = 4000;

lab.experiment('Somebody with 6,000 projects', () => {

    let test: TestServer;
    let ada: Author;

    lab.before(async () => {
        test = await startTestServer();
        ada = await openAuthor(test, 'ada');
        await test.database.db.raw('update users set staff = true, teacher = true where username = ?', ['ada']);
    });

    lab.after(() => test.stop());

    /** An author with so many projects. Each connection has planned what follows an update of one project. */
    const author = async (name: string): Promise<Author> => {
        const made = await openAuthor(test, name);
        for (let thousand = 0; thousand < 6; ++thousand) {
            const { status, text } = await made.bulk(Array.from({ length: 1000 }, (_none, index) => ({ type: 'projects', method: 'create', data: { title: `${index}`, visibility: 'public' } })));
            expect(status, text).to.equal(200);
        }

        const project = await made.project();
        const answers = await Promise.all(Array.from({ length: 20 }, (_none, index) => made.call('PATCH', project.url, { title: `${index}` })));
        expect(answers.map(({ status }) => status)).to.only.include(200);
        return made;
    };

    const inTime = async (work: () => Promise<Answer>): Promise<Answer> => {
        const began = performance.now();
        const answer = await work();
        expect(answer.status, answer.text).to.be.within(200, 201);
        expect(performance.now() - began).to.be.below(MOST);
        return answer;
    };

    lab.test('makes and deletes a webhook, and closes and gets back the account, in moments', async () => {
        const bea = await author('bea');
        const { body } = await inTime(() => bea.call('POST', '/users/me/webhooks', { url: 'https://hooks.example/in', events: ['project.held'] }));
        await inTime(() => bea.call('DELETE', `/users/me/webhooks/${body.webhook.id}`, {}));
        await inTime(() => bea.call('DELETE', '/users/me', {}));
        await inTime(() => ada.call('POST', `/admin/users/${bea.id}/restore`, {}));
        expect(await count(test, 'from projects where deleted_at is null and user_id = ?', [bea.id])).to.equal(6001);
        // The history has each of these changes, of all but the project that was changed before.
        const changes = `(select string_agg(c.kind || c.revision, ' ' order by c.revision) from project_changes c where c.project_id = p.id)`;
        const { rows } = await test.database.db.raw(`select ${changes} as changes, count(*)::int as n from projects p where p.user_id = ? and p.revision = 3 group by 1`, [bea.id]);
        expect(rows).to.equal([{ changes: 'create1 edit2 restore3', n: 6000 }]);
    });

    lab.test('has them made private by the class in moments', async () => {
        const cai = await author('cai');
        const { body: { class: { id } } } = await ada.call('POST', '/users/me/classes', { title: 'Plants', publish: 'everybody' });
        await test.database.db.raw(`update users set managed_by = ?, publish = 'everybody' where id = ?`, [id, cai.id]);
        await inTime(() => ada.call('PATCH', `/classes/${id}`, { publish: 'nobody' }));
        expect(await count(test, `from projects where visibility = 'private' and user_id = ?`, [cai.id])).to.equal(6001);
    });
});
