import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

type Body = Answer['body'];

describe('blocked words in comments', () => {
    let folder: string;
    let server: TestServer;
    let owner: Author;
    let writer: Author;
    let reader: Author;
    let guard: Author;
    let project: MadeProject;
    let url: string;

    before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'pagewright-words-'));
        const path = join(folder, 'words.txt');
        await writeFile(path, 'stoat\n');
        server = await startTestServer({ config: { filters: { words: path, lookDays: null } } });
        [owner, writer, reader] = [
            await openAuthor(server, 'owner'), await openAuthor(server, 'writer'), await openAuthor(server, 'reader')
        ];
        guard = await openAuthor(server, 'guard', { moderator: true });
    });

    beforeEach(async () => {
        project = await owner.project();
        url = `${project.url}/comments`;
        await server.database.db.raw('truncate notice_events, webhook_events');
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
        await rm(folder, { recursive: true });
    });

    const say = async (text: string, more: object = {}): Promise<Body> => {
        const { status, body } = await writer.call('POST', url, { text, ...more });
        expect(status).to.equal(201);
        return body.comment;
    };

    const edit = async ({ id }: Body, text: string): Promise<Body> => (await writer.call('PATCH', `${url}/${id}`, { text })).body.comment;

    /** What somebody sees of a comment: its text, and whether it waits. */
    const seen = async ({ id }: Body, by?: Author): Promise<[text: string | null, held: boolean]> => {
        const { body } = await server.call('GET', url, undefined, by === undefined ? {} : { token: by.token });
        const { text, held } = body.comments.find((one: Body) => one.id === id);
        return [text, held];
    };

    const queued = async ({ id }: Body): Promise<boolean> => (await guard.call('GET', '/moderation/reports?kind=comment&count=100')).body.reports.some((one: Body) => one.comment.id === id);
    const statements = async ({ id }: Body): Promise<Body[]> => {
        const { body } = await writer.call('GET', `/users/${writer.id}/statements?count=100`);
        return body.statements.filter((one: Body) => one.type === 'comment' && one.thing_id === id);
    };

    /** Who was told of what, since the last look. */
    const told = async (): Promise<string[]> => {
        const { rows } = await server.database.db.raw('with n as (delete from notice_events returning *) select u.username || \' \' || n.kind as told from n join users u on u.id = n.user_id order by 1');
        return rows.map((row: { told: string }) => row.told);
    };

    const decide = ({ id }: Body, state: string): Promise<Answer> => {
        return guard.call('PATCH', `/moderation/reports/comments/${id}`, { state, note: 'Seen' });
    };

    it('hold a new one: others do not see what it says, and its author sees that it waits, and why', async () => {
        const made = await say('You STOAT, @reader');
        expect([made.text, made.held]).to.equal(['You STOAT, @reader', true]);
        const all = await Promise.all([undefined, reader, owner, writer, guard].map((by) => seen(made, by)));
        expect(all.map(([text]) => text)).to.equal([null, null, null, made.text, made.text]);
        expect(all.every(([, held]) => held)).to.be.true();
        const [{ decision, facts, reason, project_id: of }, ...others] = await statements(made);
        expect([others, decision, facts, of]).to.equal([[], 'hold', 'automatic', project.id]);
        expect(reason).to.equal('It has words that are blocked here. A moderator looks at it.');
        expect(await queued(made)).to.be.true();
        const { body: { entries: [line] } } = await guard.call('GET', '/moderation/log?count=1');
        expect([line.act, line.moderator, line.target.type, line.target.id]).to.equal(['hold', null, 'comment', made.id]);
    });

    it('tell nobody but the author, until a moderator releases it and after', async () => {
        expect((await owner.call('POST', '/users/me/webhooks', { url: 'https://hooks.example/in', events: ['comment.created'] })).status).to.equal(201);
        const made = await say('A stoat for @reader');
        expect(await told()).to.equal(['writer decision']);
        expect((await decide(made, 'kept')).status).to.equal(200);
        expect([await seen(made), await queued(made)]).to.equal([[made.text, false], false]);
        expect((await statements(made))[0].ended_at).to.not.be.null();
        expect(await told()).to.equal([]);
        expect((await server.database.db.raw(`select from webhook_events where event = 'comment.created'`)).rows.length).to.equal(0);
        // Another one is told.
        await say('An otter for @reader');
        expect(await told()).to.equal(['owner comment', 'reader mention']);
    });

    it('hold one that is edited, also after a release, and state it once for each hold', async () => {
        const made = await say('An otter');
        await told();
        expect(await seen(made)).to.equal(['An otter', false]);
        const held = await edit(made, 'A stoat, @reader');
        expect([held.text, held.held, await seen(made), await told()]).to.equal(['A stoat, @reader', true, [null, true], [
            'writer decision'
        ]]);
        // Other words do not release it.
        const still = await edit(made, 'No word, @reader');
        expect([still.held, await seen(made), await told()]).to.equal([true, [null, true], []]);
        await edit(made, 'A stoat again');
        expect((await statements(made)).length).to.equal(1);
        expect((await decide(made, 'kept')).status).to.equal(200);
        expect((await edit(made, 'One more stoat')).held).to.be.true();
        expect([(await statements(made)).length, await queued(made)]).to.equal([2, true]);
        expect((await decide(made, 'removed')).status).to.equal(200);
        expect((await statements(made)).map(({ decision }) => decision)).to.equal(['remove', 'hold', 'hold']);
    });

    it('hold an answer, which nobody can answer meanwhile; whole words alone', async () => {
        const thread = await say('Stoats');
        expect(thread.held).to.be.false();
        const answer = await say('st0at', { reply_to: thread.id });
        expect(answer.held).to.be.true();
        expect((await reader.call('POST', url, { text: 'What?', reply_to: answer.id })).status).to.equal(404);
        expect((await reader.call('POST', `/comments/${answer.id}/reports`, { reason: 'spam' })).status).to.equal(404);
        const { body } = await reader.call('GET', url);
        expect(JSON.stringify(body)).to.not.include('st0at');
    });

    it('release it by an appeal, too', async () => {
        const made = await say('My stoat');
        const [stated] = await statements(made);
        expect((await writer.call('POST', `/users/${writer.id}/statements/${stated.id}/appeal`, { text: 'An animal' })).status).to.equal(201);
        expect((await guard.call('PATCH', `/moderation/appeals/${stated.id}`, { outcome: 'reversed', reason: 'It is' })).status).to.equal(200);
        expect(await seen(made)).to.equal(['My stoat', false]);
    });

    it('are sent once with a key', async () => {
        const send = (): Promise<Answer> => {
            return writer.call('POST', url, { text: 'One stoat' }, { headers: { 'idempotency-key': '"once-and-no-more"' } });
        };

        const [first, second] = [await send(), await send()];
        expect([first.status, second.status, second.body.comment.id]).to.equal([201, 201, first.body.comment.id]);
        expect((await statements(first.body.comment)).length).to.equal(1);
    });
});
