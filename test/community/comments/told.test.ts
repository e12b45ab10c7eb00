import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { watch } from '../../support/events';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { clientLimits } from '../../../src/api/request/client-limits';
import { MAX_CHANGED_COMMENTS, MAX_TOLD } from '../../../src/community/comments/limits';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('what is told of comments', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let ivy: Author;
    let project: MadeProject;
    let url: string;

    before(async () => {
        server = await startTestServer({ limits: clientLimits });
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        ivy = await openAuthor(server, 'ivy');
    });

    beforeEach(async () => {
        project = await ada.project();
        url = `${project.url}/comments`;
        await server.database.db.raw('delete from notice_events');
        await server.database.db.raw('delete from webhook_events');
    });

    after(() => server.stop());

    const say = async (who: Author, text: string, more: object = {}): Promise<Answer['body']> => {
        const { status, body, text: answer } = await who.call('POST', url, { text, ...more });
        expect(status, answer).to.equal(201);
        return body.comment;
    };

    /** The notices since the last look, as `user kind by`. */
    const notices = async (thing: { id: string }): Promise<string[]> => {
        const { rows } = await server.database.db.raw(`
            with n as (delete from notice_events returning *)
            select u.username || ' ' || n.kind || ' by ' || b.username as told, n.thing_id::text as thing, n.project_id::text as project from n join users u on u.id = n.user_id join users b on b.id = n.by_id order by 1`);
        expect(rows.every((row: { thing: string; project: string }) => row.thing === thing.id && row.project === project.id)).to.be.true();
        return rows.map(({ told }: { told: string }) => told);
    };

    it('is a notice to the owner, the author who is answered, and who is mentioned: one each, and none of one\'s own', async () => {
        const first = await say(eve, 'Lovely');
        expect(await notices(first)).to.equal(['ada comment by eve']);
        expect(await notices(await say(ada, 'Mine', { reply_to: first.id }))).to.equal(['eve reply by ada']);
        expect(await notices(await say(ivy, '@ada @eve @ivy', { reply_to: first.id }))).to.equal([
            'ada mention by ivy', 'eve reply by ivy'
        ]);
        expect(await notices(await say(eve, 'My own', { reply_to: first.id }))).to.equal(['ada comment by eve']);
        const own = await say(ada, 'Look');
        expect(await notices(own)).to.equal([]);
        expect(await notices(await say(eve, 'Yes @ada', { reply_to: own.id }))).to.equal(['ada reply by eve']);
    });

    it('is said once of a comment, whatever its author writes into it afterwards, to a bounded number of people', async () => {
        const comment = await say(eve, 'Lovely @ivy');
        expect(await notices(comment)).to.equal(['ada comment by eve', 'ivy mention by eve']);
        const edit = async (text: string): Promise<string[]> => {
            expect((await eve.call('PATCH', `${url}/${comment.id}`, { text })).status).to.equal(200);
            return notices(comment);
        };

        expect(await edit('Lovely')).to.equal([]);
        expect(await edit('Lovely @ivy @ada @eve')).to.equal([]);
        const { rows } = await server.database.db.raw(`insert into users (username, username_key) select 'n' || n, 'n' || n from generate_series(1, 40) n returning username`);
        const names: string[] = rows.map(({ username }: { username: string }) => username);
        const told: string[] = [];
        for (let at = 0; at < names.length; at += 10) {
            told.push(...await edit(names.slice(at, at + 10).map((name) => `@${name}`).join(' ')));
        }

        expect([told.length, new Set(told).size]).to.equal([MAX_TOLD - 2, MAX_TOLD - 2]);
    });

    it('is nothing if the comment is refused', async () => {
        const { status } = await eve.call('POST', url, { text: '@ivy', page: '7999999999' });
        expect(status).to.equal(404);
        expect(await notices({ id: '' })).to.equal([]);
    });

    it('is an event of webhooks, without the text', async () => {
        const { db } = server.database;
        await say(eve, 'Nobody watches');
        expect((await db.raw('select from webhook_events')).rows.length).to.equal(0);
        expect((await ada.call('POST', '/users/me/webhooks', { url: 'https://hooks.example/in', events: ['comment.created'] })).status).to.equal(201);
        const first = await say(eve, 'A secret-text', { page: project.page.id });
        const answer = await say(ivy, 'Another secret-text', { reply_to: first.id });
        const { rows } = await db.raw(`select event, user_id::text as owner, data, data::text as text from webhook_events where event = 'comment.created' order by id`);
        expect(rows.map(({ event, owner, data }: { event: string; owner: string; data: object }) => ({ event, owner, data }))).to.equal([
            { by: eve, comment: first, reply: null, page: project.page.id }, { by: ivy, comment: answer, reply: first.id, page: null }
        ].map(({ by, comment, reply, page }) => ({
            event: 'comment.created', owner: ada.id, data: {
                project: { id: project.id, user_id: ada.id, title: 'A project', visibility: 'public', revision: 1 }, by: by.id,
                comment: { id: comment.id, thread: first.id, reply_to: reply, page, element: null }
            }
        })));
        expect(rows.map(({ text }: { text: string }) => text).join()).to.not.include('secret-text');
    });

    it('is an event of the project\'s stream, without what it says, to those who watch it already', async () => {
        await server.server.start();
        const old = await say(eve, 'Before');
        const watcher = await watch(`${server.server.info.uri}${project.url}/events`);
        const first = await say(eve, 'A secret-text');
        const answer = await say(ivy, 'x', { reply_to: old.id });
        await watcher.has(2);
        expect((await eve.call('PATCH', `${url}/${first.id}`, { text: 'Another secret-text' })).status).to.equal(200);
        await watcher.has(3);
        expect((await ada.call('DELETE', `${url}/${first.id}`)).status).to.equal(200);
        await watcher.has(4);
        await ada.call('PATCH', project.url, { title: 'Changed' });
        await watcher.has(5);
        await ada.call('PATCH', project.url, { visibility: 'private' });
        const events = await watcher.has(6);
        watcher.close();
        expect(events.map(({ event, id, data }) => [event, id, event === 'comment' ? data : null])).to.equal([
            ['comment', undefined, { id: first.id, thread: first.id, removed: false }], ['comment', undefined, {
                id: answer.id, thread: old.id, removed: false
            }],
            ['comment', undefined, { id: first.id, thread: first.id, removed: false }], ['comment', undefined, {
                id: first.id, thread: first.id, removed: true
            }],
            ['change', 2, null], ['gone', undefined, null]
        ]);
        expect(watcher.text).to.not.include('secret-text');
    });

    it('is told by a stream in full, also if it is more than one look reads', async () => {
        await server.server.start();
        const watcher = await watch(`${server.server.info.uri}${project.url}/events`);
        const trx = await server.database.db.transaction();
        for (let n = 0; n < 2 * MAX_CHANGED_COMMENTS + 7; ++n) {
            await trx.raw(`insert into comments (project_id, user_id, text) values (?, ?, 'x')`, [project.id, eve.id]);
        }

        await trx.commit();
        await watcher.has(2 * MAX_CHANGED_COMMENTS + 7);
        const ids = new Set(watcher.events.map(({ data }) => data.id));
        watcher.close();
        expect(ids.size).to.equal(2 * MAX_CHANGED_COMMENTS + 7);
    });
});
