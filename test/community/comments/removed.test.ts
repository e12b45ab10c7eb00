import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { StatementCast } from '../statements/cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

type Body = Answer['body'];

describe('a comment that a moderator removes', () => {
    let server: TestServer;
    let cast: StatementCast;
    let writer: Author;
    let url: string;
    let comment: Body;

    before(async () => {
        server = await startTestServer();
    });

    // The comment of a reader on the author's project.
    beforeEach(async () => {
        cast = await StatementCast.open(server);
        writer = cast.reader;
        const { body } = await writer.call('POST', `${cast.project.url}/comments`, { text: 'Buy a phone' });
        ({ comment } = body);
        url = `${cast.project.url}/comments/${comment.id}`;
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const remove = (by: Author): Promise<Answer> => by.call('DELETE', url);
    const texts = async (by = cast.author): Promise<string[]> => (await by.call('GET', `${cast.project.url}/comments`)).body.comments.map(({ text }: Body) => text);
    const appeal = (stated: Body): Promise<Answer> => cast.appeal(stated, 'A gift', writer);

    it('is stated to its author, with a notice, and no content of it', async () => {
        const removed = await remove(cast.moderator);
        expect([removed.status, removed.body.comment.removed, removed.body.comment.text]).to.equal([200, 'moderator', null]);
        const [stated, ...others] = await cast.statements(writer);
        expect(others).to.equal([]);
        const { id, at, ...said } = stated;
        expect(at).to.be.a.string();
        expect(said).to.equal({
            decision: 'remove', type: 'comment', thing_id: comment.id, project_id: cast.project.id, sha256: null, title: 'Win a phone', rule: 'other', reason: 'A moderator removed this.', facts: 'own',
            until: null, ended_at: null, appeal: null
        });
        // Not who decided.
        expect(JSON.stringify(stated)).to.not.include(cast.moderator.username);
        expect(await cast.notices(writer)).to.equal([['decision', id]]);
        expect(await cast.notices(cast.author)).to.equal([]);
        expect(await cast.statements(cast.author)).to.equal([]);
        const { body: { entries: [line] } } = await cast.other.call('GET', '/moderation/log?count=1');
        expect([line.act, line.moderator.id, line.target.type, line.target.id, line.target.owner.id]).to.equal([
            'remove', cast.moderator.id, 'comment', comment.id, writer.id
        ]);
    });

    it('is no statement if its author or the owner of the project removes it, who may be a moderator', async () => {
        await server.database.db.raw('update users set moderator = true where id in (?, ?)', [writer.id, cast.author.id]);
        expect((await remove(cast.author)).body.comment.removed).to.equal('owner');
        const own = await writer.call('POST', `${cast.project.url}/comments`, { text: 'Mine' });
        expect((await writer.call('DELETE', `${cast.project.url}/comments/${own.body.comment.id}`)).body.comment.removed).to.equal('author');
        expect([await cast.statements(writer), await cast.notices(writer)]).to.equal([[], []]);
    });

    it('comes back if the appeal is reversed, for everybody, as it was', async () => {
        await remove(cast.moderator);
        const stated = await cast.newest(writer);
        expect((await appeal(stated)).status).to.equal(201);
        expect(await texts()).to.equal([]);
        expect((await cast.answer(stated, 'reversed')).status).to.equal(200);
        expect(await texts()).to.equal(['Buy a phone']);
        const { ended_at: ended, appeal: answered } = await cast.newest(writer);
        expect([ended, answered.outcome]).to.include('reversed');
        expect(ended).to.not.be.null();
        expect(await cast.notices(writer)).to.equal([['decision', stated.id], ['appeal', stated.id]]);
    });

    it('stays removed if the appeal is upheld', async () => {
        await remove(cast.moderator);
        const stated = await cast.newest(writer);
        await appeal(stated);
        expect((await cast.answer(stated, 'upheld')).status).to.equal(200);
        expect(await texts()).to.equal([]);
        expect((await cast.newest(writer)).ended_at).to.be.null();
    });

    it('is not brought back by the moderator who removed it, nor by its author', async () => {
        await server.database.db.raw('update users set moderator = true where id = ?', [writer.id]);
        await remove(cast.moderator);
        const stated = await cast.newest(writer);
        await appeal(stated);
        for (const by of [cast.moderator, writer]) {
            for (const outcome of ['reversed', 'upheld']) {
                expect((await cast.answer(stated, outcome, by)).body.code).to.equal('own_decision');
            }

            for (const state of ['kept', 'held', 'removed']) {
                const { status } = await by.call('PATCH', `/moderation/reports/comments/${comment.id}`, { state, note: 'x' });
                expect(status).to.equal(404);
            }

            expect((await remove(by)).status).to.equal(404);
            expect((await by.call('PATCH', url, { text: 'Back' })).status).to.equal(404);
        }

        expect(await texts()).to.equal([]);
        const { appeal: open } = await cast.newest(writer);
        expect(open.outcome).to.be.null();
    });

    it('stays removed if only the hold before is reversed', async () => {
        await cast.author.call('POST', `/comments/${comment.id}/reports`, { reason: 'spam' });
        await cast.moderator.call('PATCH', `/moderation/reports/comments/${comment.id}`, { state: 'held', note: 'A shop' });
        const held = await cast.newest(writer);
        expect(held.decision).to.equal('hold');
        await appeal(held);
        await remove(cast.moderator);
        expect((await cast.answer(held, 'reversed')).status).to.equal(200);
        expect(await texts()).to.equal([]);
        const removed = await cast.newest(writer);
        expect([removed.decision, removed.ended_at]).to.equal(['remove', null]);
        await appeal(removed);
        expect((await cast.answer(removed, 'reversed')).status).to.equal(200);
        expect(await texts()).to.equal(['Buy a phone']);
    });

    it('is removed, held and kept in turn with all that changes comments of the project, so that streams miss none of it', async () => {
        const { db } = server.database;
        await cast.author.call('POST', `/comments/${comment.id}/reports`, { reason: 'spam' });
        for (const state of ['held', 'removed']) {
            let isDone = false;
            const other = await db.transaction();
            await other.raw('select from projects where id = ? for no key update', [cast.project.id]);
            const deciding = cast.moderator.call('PATCH', `/moderation/reports/comments/${comment.id}`, { state, note: 'A shop' }).finally(() => {
                isDone = true;
            });
            await new Promise((resolve) => {
                setTimeout(resolve, 300);
            });
            expect(isDone).to.be.false();
            await other.commit();
            expect((await deciding).status).to.equal(200);
        }
    });
});
