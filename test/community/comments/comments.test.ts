import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { ID, TIME, openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { readNow } from '../../../src/database/statements/snapshot';
import { rowsOf } from '../../../src/files/exports/takeout';
import { writtenComments } from '../../../src/files/exports/takeout-queries';
import { purgeUsers } from '../../../src/operations/maintenance/purge';
import { MAX_COMMENT, MAX_FIRST_REPLIES, MAX_MENTIONS } from '../../../src/community/comments/limits';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('comments', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let ivy: Author;
    let mod: Author;
    let project: MadeProject;
    let url: string;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        ivy = await openAuthor(server, 'ivy');
        mod = await openAuthor(server, 'mod', { moderator: true });
    });

    beforeEach(async () => {
        project = await ada.project();
        url = `${project.url}/comments`;
    });

    after(() => server.stop());

    const say = async (who: Author, text: string, more: object = {}): Promise<Answer['body']> => {
        const { status, body, text: answer } = await who.call('POST', url, { text, ...more });
        expect(status, answer).to.equal(201);
        return body.comment;
    };

    const list = async (query = '', who: Author | undefined = undefined): Promise<Answer['body']> => {
        const { status, body, text } = await server.call('GET', url + query, undefined, who && { token: who.token });
        expect(status, text).to.equal(200);
        return body;
    };

    const texts = (comments: readonly { text: string | null }[]): (string | null)[] => comments.map(({ text }) => text);
    const remove = (who: Author, id: string): Promise<Answer> => who.call('DELETE', `${url}/${id}`);

    it('are written by anybody who may read the project, and read by everybody who may', async () => {
        const { status, body, headers } = await eve.call('POST', url, { text: '  Lovely!\r\nReally. ' });
        expect([status, body.status, headers.location]).to.equal([201, 'created', `${url}/${body.comment.id}`]);
        const { id, created_at: at, ...rest } = body.comment;
        expect(id).to.match(ID);
        expect(at).to.match(TIME);
        expect(rest).to.equal({
            project_id: project.id, author: { id: eve.id, username: 'eve' }, text: 'Lovely!\nReally.', page: null, element: null, reply_to: null, mentions: [], edited_at: null, removed: null, held: false
        });
        expect(await list()).to.equal({ status: 'success', comments: [{ ...body.comment, replies: [], reply_count: 0, next_reply: null }], next: null });
    });

    it('are threads, newest first, with the first answers to each, which are in one row whatever they answer', async () => {
        const first = await say(eve, 'first');
        const second = await say(ivy, 'second');
        const replies = [await say(ada, 'r1', { reply_to: first.id })];
        replies.push(await say(eve, 'r2', { reply_to: replies[0].id }));
        for (const n of [3, 4, 5]) {
            replies.push(await say(ivy, `r${n}`, { reply_to: first.id }));
        }

        const { comments } = await list();
        expect(comments.map(({ text, replies: some, reply_count: count, next_reply: next }: Answer['body']) => [text, texts(some), count, next === null])).to.equal([
            ['second', [], 0, true], ['first', ['r1', 'r2', 'r3'], 5, false]
        ]);
        expect(comments[1].replies).to.equal(replies.slice(0, MAX_FIRST_REPLIES));
        expect(replies[1].reply_to).to.equal(replies[0].id);
        expect((await list(`?thread=${first.id}&after=${comments[1].next_reply}`)).comments).to.equal(replies.slice(MAX_FIRST_REPLIES));
        expect((await list(`?thread=${second.id}`)).comments).to.equal([]);
        const page = await server.call('GET', `${url}?thread=${first.id}&count=2`);
        expect([texts(page.body.comments), page.headers.link]).to.equal([['r1', 'r2'], `<${url}?count=2&after=${page.body.next}&thread=${first.id}>; rel="next"`]);
        expect(texts((await list(`?thread=${first.id}&count=2&after=${page.body.next}`)).comments)).to.equal(['r3', 'r4']);
        const newest = await list('?count=1');
        expect([texts(newest.comments), texts((await list(`?count=1&after=${newest.next}`)).comments)]).to.equal([['second'], ['first']]);
        for (const other of [replies[0].id, '7999999999']) {
            expect((await server.call('GET', `${url}?thread=${other}`)).body).to.include({ statusCode: 404, message: 'There is no such comment, or it has been deleted.' });
        }
    });

    it('can be about a page or an element, and are listed by them', async () => {
        const element = await ada.element(project.page);
        const other = await ada.page(project, { x: 1, y: 0 });
        const [onPage, onElement, onOther] = [await say(eve, 'page', { page: project.page.id }), await say(eve, 'element', { element: element.id }), await say(eve, 'other', { page: other.id })];
        await say(eve, 'project');
        expect([onPage, onElement, onOther].map(({ page, element: one }) => [page, one])).to.equal([[project.page.id, null], [project.page.id, element.id], [other.id, null]]);
        const shown = async (query: string): Promise<unknown> => texts((await list(query)).comments);
        expect(await shown(`?page=${project.page.id}`)).to.equal(['element', 'page']);
        expect(await shown(`?element=${element.id}`)).to.equal(['element']);
        expect(await shown(`?page=${other.id}&element=${element.id}`)).to.equal([]);
        const { headers, body: { next } } = await server.call('GET', `${url}?page=${project.page.id}&count=1`);
        expect(headers.link).to.equal(`<${url}?count=1&page=${project.page.id}&after=${next}>; rel="next"`);
        expect((await server.call('GET', `${url}?thread=${onPage.id}&page=${other.id}`)).status).to.equal(400);
    });

    it('are about nothing that is deleted, of another project, or on another page', async () => {
        const foreign = await eve.project();
        const far = await eve.element(foreign.page);
        const [page, element] = [await ada.page(project, { x: 1, y: 0 }), await ada.element(project.page)];
        const gone = await ada.element(project.page);
        await ada.call('DELETE', gone.url);
        const theirs = (await eve.call('POST', `${foreign.url}/comments`, { text: 'x' })).body.comment;
        for (const [what, more] of [
            ['page', { page: foreign.page.id }], ['page', { page: '7999999999' }], ['element', { element: far.id }], ['element', { element: gone.id }], ['element', { page: page.id, element: element.id }],
            ['comment', { reply_to: theirs.id }], ['comment', { reply_to: '7999999999' }]
        ] as const) {
            expect((await eve.call('POST', url, { text: 'x', ...more })).body, JSON.stringify(more)).to.include({ statusCode: 404, message: `There is no such ${what}, or it has been deleted.` });
        }

        await ada.call('DELETE', page.url);
        expect((await eve.call('POST', url, { text: 'x', page: page.id })).status).to.equal(404);
        expect((await list()).comments).to.equal([]);
    });

    it('have 1 to 2,000 characters, with something in them that can be seen, and no control characters but line breaks', async () => {
        for (const text of ['', '   ', '\n\n', '\u200b', 'x'.repeat(MAX_COMMENT + 1), 'a\u0007b', 'a\u001bb', 'a\u0000b', 'a\u0085b', 'a\ud800', 5, null]) {
            expect((await eve.call('POST', url, { text })).body, JSON.stringify(text)).to.include({ statusCode: 400, code: 'validation_failed' });
        }

        for (const text of ['x', '🌿'.repeat(MAX_COMMENT), 'one\n\ttwo', '<b>&amp;</b> "quoted" \\']) {
            const { id } = await say(eve, text);
            expect((await list()).comments[0]).to.include({ id, text });
        }

        expect((await eve.call('POST', url, {})).status).to.equal(400);
    });

    it('are made once for each Idempotency-Key', async () => {
        const headers = { 'idempotency-key': 'one-comment-and-no-more' };
        const answers = [await eve.call('POST', url, { text: 'once' }, { headers }), await eve.call('POST', url, { text: 'once' }, { headers })];
        expect(answers.map(({ status }) => status)).to.equal([201, 201]);
        expect(answers[1]?.body).to.equal(answers[0]?.body);
        expect((await list()).comments.length).to.equal(1);
    });

    it('mention those who may read the project, by their names in any case', async () => {
        const named = async (text: string): Promise<string[]> => (await say(eve, text)).mentions.map(({ username }: { username: string }) => username);
        expect(await named('@ADA, @ivy! and @nobody-here')).to.equal(['ada', 'ivy']);
        expect(await named('ask ada@ivy or x@eve, or @@ada; (@ivy) @ivy @mod\'s')).to.equal(['ivy', 'mod']);
        const { rows: many } = await server.database.db.raw(`insert into users (username, username_key) select 'm' || n, 'm' || n from generate_series(1, 12) n returning username`);
        expect(await named(many.map(({ username }: { username: string }) => `@${username}`).join(' '))).to.equal(many.slice(0, MAX_MENTIONS).map(({ username }: { username: string }) => username));
        await server.database.db.raw(`update users set deleted_at = now() where username = 'm1'`);
        expect(await named('@m1 @m2')).to.equal(['m2']);

        await ada.call('PATCH', project.url, { visibility: 'private' });
        await ada.call('PUT', `${project.url}/members/ivy`, { role: 'viewer' });
        const { mentions } = (await ada.call('POST', url, { text: '@eve @ivy @mod @ada' })).body.comment;
        expect(mentions.map(({ username }: { username: string }) => username)).to.equal(['ivy', 'ada']);
    });

    it('are changed by their authors alone, and say so', async () => {
        const { id } = await say(eve, 'before @ivy');
        for (const who of [ada, ivy, mod]) {
            expect((await who.call('PATCH', `${url}/${id}`, { text: 'mine' })).body).to.include({ statusCode: 403, code: 'forbidden', message: 'This comment is someone else\'s.' });
        }

        const { status, body } = await eve.call('PATCH', `${url}/${id}`, { text: ' after @ada ' });
        expect([status, body.status, body.comment.text, body.comment.mentions]).to.equal([200, 'updated', 'after @ada', [{ id: ada.id, username: 'ada' }]]);
        expect(body.comment.edited_at).to.match(TIME);
        expect((await list()).comments[0]).to.include({ id, text: 'after @ada', edited_at: body.comment.edited_at });
        expect((await eve.call('PATCH', `${url}/${id}`, { text: ' ' })).status).to.equal(400);
        expect((await eve.call('PATCH', `${url}/7999999999`, { text: 'x' })).status).to.equal(404);
    });

    it('are removed by their authors, the owner of the project and moderators, and nobody else', async () => {
        for (const [who, by] of [[eve, 'author'], [ada, 'owner'], [mod, 'moderator']] as const) {
            const { id } = await say(eve, 'secret-of-eve @ivy');
            await say(ivy, 'an answer', { reply_to: id });
            expect((await remove(ivy, id)).body).to.include({ statusCode: 403, code: 'forbidden' });
            const { status, body, text } = await remove(who, id);
            expect([status, body.status], text).to.equal([200, 'deleted']);
            expect(body.comment).to.include({ id, text: null, removed: by, mentions: [] });
            for (const reader of [undefined, eve, ada, mod]) {
                const { comments } = await list('', reader);
                expect(comments[0]).to.include({ id, text: null, removed: by, mentions: [], author: { id: eve.id, username: 'eve' } });
                expect(JSON.stringify(comments)).to.not.include('secret-of-eve');
            }

            for (const answer of [await remove(who, id), await eve.call('PATCH', `${url}/${id}`, { text: 'again' }), await eve.call('POST', url, { text: 'late', reply_to: id })]) {
                expect(answer.body).to.include({ statusCode: 404, message: 'There is no such comment, or it has been deleted.' });
            }
        }

        const { body: { entries } } = await mod.call('GET', '/moderation/log');
        expect(entries[0]).to.include({ act: 'remove', reason: null });
        expect(entries[0].target).to.include({ type: 'comment', project_id: project.id, owner: { id: eve.id, username: 'eve' } });
        expect(entries.filter(({ act }: { act: string }) => act === 'remove').length).to.equal(1);
    });

    it('are removed by their authors, and by nobody else, also where these cannot read the project any more', async () => {
        for (const [hides, shows] of [
            [() => mod.call('PUT', `/moderation/projects/${project.id}/hold`, { reason: 'Look' }), () => mod.call('DELETE', `/moderation/projects/${project.id}/hold`)],
            [() => ada.call('PATCH', project.url, { visibility: 'private' }), () => ada.call('PATCH', project.url, { visibility: 'public' })]
        ] as const) {
            const [own, others] = [await say(eve, 'secret-of-eve'), await say(ivy, 'of ivy')];
            await say(ivy, 'an answer', { reply_to: own.id });
            expect((await hides()).status).to.equal(200);
            for (const [who, id] of [[eve, others.id], [ivy, own.id]] as const) {
                expect((await remove(who, id)).body).to.include({ statusCode: 404, message: 'There is no such project, or it has been deleted.' });
            }

            expect((await eve.call('PATCH', `${url}/${own.id}`, { text: 'x' })).status).to.equal(404);
            const { status, body } = await remove(eve, own.id);
            expect([status, body.comment.removed, body.comment.text]).to.equal([200, 'author', null]);
            expect((await remove(eve, own.id)).status).to.equal(404);
            expect((await shows()).status).to.equal(200);
            expect(JSON.stringify(await list())).to.not.include('secret-of-eve');
        }
    });

    it('leave the list when they are removed, unless they have answers', async () => {
        const first = await say(eve, 'first');
        const answer = await say(ivy, 'answer', { reply_to: first.id });
        const more = await say(ada, 'more', { reply_to: answer.id });
        await remove(eve, (await say(eve, 'alone')).id);
        await remove(ivy, answer.id);
        const [thread, ...others] = (await list()).comments;
        expect(others).to.equal([]);
        expect([thread.reply_count, texts(thread.replies), texts((await list(`?thread=${first.id}`)).comments)]).to.equal([1, [null, 'more'], [null, 'more']]);
        await remove(eve, first.id);
        expect((await list()).comments[0]).to.include({ id: first.id, text: null, removed: 'author' });
        await remove(ada, more.id);
        expect((await list()).comments).to.equal([]);
        expect((await server.call('GET', `${url}?thread=${first.id}`)).status).to.equal(404);
    });

    it('that are held are read by their authors and moderators alone', async () => {
        const { id } = await say(eve, 'perhaps-unfit @ivy');
        await server.database.db.raw('update comments set held_at = now() where id = ?', [id]);
        for (const reader of [undefined, ivy, ada]) {
            expect((await list('', reader)).comments[0]).to.include({ id, text: null, mentions: [], held: true, removed: null });
        }

        for (const reader of [eve, mod]) {
            expect((await list('', reader)).comments[0]).to.include({ id, text: 'perhaps-unfit @ivy', held: true });
        }

        expect((await ivy.call('POST', url, { text: 'x', reply_to: id })).status).to.equal(404);
    });

    it('of people whom the reader has blocked have no text for them', async () => {
        const { id } = await say(eve, 'noise');
        await server.database.db.raw('insert into blocks (user_id, blocked_id) values (?, ?)', [ivy.id, eve.id]);
        expect((await list('', ivy)).comments[0]).to.include({ id, text: null, removed: null, held: false });
        expect((await list('', ada)).comments[0]).to.include({ id, text: 'noise' });
        expect((await say(eve, 'hello @ivy')).mentions).to.equal([]);
        await server.database.db.raw('delete from blocks');
    });

    it('of an account that is closed have neither author nor text, and come back with it', async () => {
        const guest = await openAuthor(server);
        const { id } = await say(guest, 'from a guest');
        const { db } = server.database;
        await db.raw('update users set deleted_at = now() where id = ?', [guest.id]);
        expect((await list()).comments[0]).to.include({ id, author: null, text: null, removed: 'author' });
        await db.raw('update users set deleted_at = null where id = ?', [guest.id]);
        expect((await list()).comments[0]).to.include({ id, text: 'from a guest', removed: null });
        await say(eve, 'an answer', { reply_to: id });
        await db.raw('delete from users where id = ?', [guest.id]);
        expect((await list()).comments[0]).to.include({ id, author: null, text: null, removed: 'author', reply_count: 1 });
    });

    it('of an account that is purged lose their author after what others change there, one project at a time', async () => {
        const { db } = server.database;
        const guest = await openAuthor(server);
        const [{ id: thread }, other] = [await say(eve, 'a thread'), await ada.project()];
        await say(guest, 'an answer', { reply_to: thread });
        await say(guest, 'a thread');
        await guest.call('POST', `${other.url}/comments`, { text: 'elsewhere' });
        await db.raw(`update users set deleted_at = now() - interval '1 day' where id = ?`, [guest.id]);
        await startWhileLocked(server, ['projects', project.id], [() => purgeUsers(db, 60, [guest.id], [])], async (trx) => {
            await trx.raw(`update comments set text = 'changed' where id = ?`, [thread]);
        });
        const { rows } = await db.raw('select user_id, removed_by, changed from comments where project_id in (?, ?) order by project_id, changed', [project.id, other.id]);
        expect(rows).to.equal([
            { user_id: eve.id, removed_by: null, changed: 4 }, { user_id: null, removed_by: 'author', changed: 5 },
            { user_id: null, removed_by: 'author', changed: 6 }, { user_id: null, removed_by: 'author', changed: 2 }
        ]);
        expect((await db.raw('select from users where id = ?', [guest.id])).rows).to.equal([]);
    });

    it('stay with a project in the trash, are not in its remixes, and go when it is deleted for good', async () => {
        const { id } = await say(eve, 'stays');
        await ada.call('PUT', `${url}/settings`, { who: 'members' });
        const copy = await ivy.remix(project);
        expect((await server.call('GET', `${copy.url}/comments`)).body.comments).to.equal([]);
        expect((await server.call('GET', `${copy.url}/comments/settings`)).body.settings.who).to.equal('everybody');

        await ada.call('DELETE', project.url);
        for (const [method, path] of [['GET', ''], ['GET', '/settings'], ['POST', ''], ['PATCH', `/${id}`], ['DELETE', `/${id}`]] as const) {
            const answer = await eve.call(method, url + path, method === 'POST' || method === 'PATCH' ? { text: 'x' } : undefined);
            expect(answer.body, method + path).to.include({ statusCode: 404, message: 'There is no such project, or it has been deleted.' });
        }

        const { body: { trash: [entry] } } = await ada.call('GET', '/users/me/trash');
        await ada.call('POST', `/users/me/trash/${entry.id}/restore`);
        expect((await list()).comments[0]).to.include({ id, text: 'stays' });
        expect((await server.call('GET', `${url}/settings`)).body.settings.who).to.equal('members');
        await ada.call('DELETE', project.url);
        const { body: { trash: [again] } } = await ada.call('GET', '/users/me/trash');
        expect((await ada.call('DELETE', `/users/me/trash/${again.id}`)).status).to.equal(200);
        const { rows: [left] } = await server.database.db.raw(
            'select (select count(*) from comments where project_id = ?)::int as comments, (select count(*) from comment_settings where project_id = ?)::int as settings', [project.id, project.id]
        );
        expect(left).to.equal({ comments: 0, settings: 0 });
    });

    it('are in the takeout of whoever wrote them', async () => {
        const first = await say(eve, 'mine');
        await say(ada, 'of-ada', { reply_to: first.id });
        await remove(eve, (await say(eve, 'removed-text')).id);
        const { rows } = await server.database.db.raw(`select k.text from comments k where k.user_id = ? and k.removed_at is null order by k.id`, [eve.id]);
        const written = [];
        for await (const { json } of rowsOf(readNow(server.database.db), writtenComments, eve.id)) {
            written.push(JSON.parse(json));
        }

        expect(written.map(({ text }) => text)).to.equal(rows.map(({ text }: { text: string }) => text));
        expect(written.at(-1)).to.equal({ id: first.id, project_id: project.id, text: 'mine', page: null, element: null, reply_to: null, created_at: first.created_at, edited_at: null });
    });
});
