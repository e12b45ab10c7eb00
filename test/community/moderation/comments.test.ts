import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, startWhileLocked } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a comment that moderators decide about', () => {
    let server: TestServer;
    let owner: Author;
    let author: Author;
    let reader: Author;
    let mods: readonly [Author, Author, Author];
    let project: MadeProject;
    let comment: string;

    before(async () => {
        server = await startTestServer();
        [owner, author, reader] = [await openAuthor(server), await openAuthor(server), await openAuthor(server)];
        mods = [await openAuthor(server, undefined, { moderator: true }), await openAuthor(server, undefined, { moderator: true }), await openAuthor(server, undefined, { moderator: true })];
        project = await owner.project({ visibility: 'public' });
    });

    beforeEach(async () => {
        comment = (await author.call('POST', `${project.url}/comments`, { text: 'Buy this' })).body.comment.id;
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const report = (by = reader): Promise<Answer> => by.call('POST', `/comments/${comment}/reports`, { reason: 'spam' });
    const decide = (by: Author, state: string): Promise<Answer> => by.call('PATCH', `/moderation/reports/comments/${comment}`, { state, note: 'A shop' });
    const statements = async (): Promise<Answer['body'][]> => (await author.call('GET', `/users/${author.id}/statements?count=100`)).body.statements.filter(({ thing_id: id }: Answer['body']) => id === comment);
    const appeal = (id: string, by = author): Promise<Answer> => by.call('POST', `/users/${by.id}/statements/${id}/appeal`, { text: 'It is no shop' });
    const answer = (id: string, by: Author, outcome = 'reversed'): Promise<Answer> => by.call('PATCH', `/moderation/appeals/${id}`, { outcome, reason: 'I looked' });
    const shown = async (): Promise<unknown> => (await reader.call('GET', `${project.url}/comments?count=100`)).body.comments.find(({ id }: Answer['body']) => id === comment)?.text;

    it('stays removed when an earlier hold of it is reversed, and not even whoever removed it brings it back so', async () => {
        await report();
        expect((await decide(mods[1], 'held')).status).to.equal(200);
        const [held] = await statements();
        expect((await appeal(held.id)).status).to.equal(201);
        expect((await decide(mods[0], 'removed')).status).to.equal(200);
        const [removed] = await statements();
        expect(removed.decision).to.equal('remove');
        expect((await appeal(removed.id)).status).to.equal(201);
        expect((await answer(removed.id, mods[0])).body.code).to.equal('own_decision');
        expect((await answer(held.id, mods[0])).status).to.equal(200);
        expect(await shown()).to.be.undefined();
        expect((await answer(removed.id, mods[2])).status).to.equal(200);
        expect(await shown()).to.equal('Buy this');
    });

    it('is locked after its project, as by whoever changes comments, so that streams miss nothing and no two wait for each other', async () => {
        await report();
        const [decided] = await startWhileLocked(server, ['projects', project.id], [() => decide(mods[0], 'kept')]);
        expect(decided?.status).to.equal(200);
    });

    it('is decided for those who have reported it, also if a moderator removes it on the project', async () => {
        await report();
        expect((await mods[0].call('DELETE', `${project.url}/comments/${comment}`)).status).to.equal(200);
        const { body: { reports: [own] } } = await reader.call('GET', '/users/me/reports');
        expect(own).to.include({ kind: 'comment', thing_id: comment, outcome: 'removed' });
    });

    it('is stated to its author, with a right to appeal, also if a moderator removes it on the project', async () => {
        expect((await mods[0].call('DELETE', `${project.url}/comments/${comment}`)).status).to.equal(200);
        const [stated] = await statements();
        expect(stated).to.include({ decision: 'remove', type: 'comment', thing_id: comment, facts: 'own' });
        expect((await appeal(stated.id)).status).to.equal(201);
        expect((await answer(stated.id, mods[0])).body.code).to.equal('own_decision');
        expect((await answer(stated.id, mods[1])).status).to.equal(200);
        expect(await shown()).to.equal('Buy this');
    });

    it('is appealed against once, if it is sent twice at the same time', async () => {
        await report();
        await decide(mods[0], 'held');
        const [held] = await statements();
        const answers = await Promise.all([1, 2, 3, 4].map(() => appeal(held.id)));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, 409, 409, 409]);
    });

    it('is decided once, by whoever comes first', async () => {
        await report();
        const answers = await Promise.all([decide(mods[0], 'held'), decide(mods[1], 'removed'), decide(mods[2], 'kept')]);
        expect(answers.filter(({ status }) => status === 200).length).to.be.at.least(1);
        expect(answers.filter(({ status }) => ![200, 404].includes(status)).map(({ text }) => text)).to.equal([]);
    });

    it('of a moderator is not decided by them by any way', async () => {
        const own = (await mods[0].call('POST', `${project.url}/comments`, { text: 'Mine' })).body.comment.id;
        comment = own;
        await report();
        await decide(mods[1], 'held');
        const [held] = (await mods[0].call('GET', `/users/${mods[0].id}/statements`)).body.statements;
        expect((await appeal(held.id, mods[0])).status).to.equal(201);
        for (const state of ['kept', 'held', 'removed']) {
            expect((await decide(mods[0], state)).status, state).to.be.within(403, 404);
        }

        expect((await answer(held.id, mods[0])).body.code).to.equal('own_decision');
        await mods[0].call('PATCH', `${project.url}/comments/${own}`, { text: 'Mine still' });
        expect(await shown()).to.be.null();
    });

    it('and all that is said of it is refused or kept, with control characters, lone surrogates, and texts that are too long', async () => {
        await report();
        await decide(mods[0], 'held');
        const [held] = await statements();
        for (const text of ['\u0000', 'a\u0000b', '\ud800', '\u0001', 'x'.repeat(2 * 1024 * 1024), '🌿'.repeat(2000), ' ', '\n']) {
            for (const call of [
                () => author.call('POST', `${project.url}/comments`, { text }), () => author.call('PATCH', `${project.url}/comments/${comment}`, { text }),
                () => reader.call('POST', `/comments/${comment}/reports`, { reason: 'spam', text }), () => reader.call('POST', `/users/${author.id}/reports`, { reason: 'spam', text }),
                () => reader.call('POST', `/projects/${project.id}/reports`, { reason: 'spam', text }),
                () => author.call('POST', `/users/${author.id}/statements/${held.id}/appeal`, { text }), () => mods[1].call('PATCH', `/moderation/appeals/${held.id}`, { outcome: 'upheld', reason: text }),
                () => mods[1].call('PATCH', `/moderation/reports/comments/${comment}`, { state: 'held', note: text }), () => mods[1].call('PUT', `/moderation/users/${reader.id}/suspension`, { reason: text, until: '2020-01-01T00:00:00.000Z' }),
                () => author.call('PUT', `/users/${author.id}/blocks/${encodeURIComponent(text.slice(0, 100))}`, {}), () => author.call('PUT', `/users/${author.id}/following/${encodeURIComponent(text.slice(0, 100))}`, {})
            ].filter((_call, n) => n < 9 || !/[\ud800]/.test(text.slice(0, 1)) || text.length > 2)) {
                let found: Answer | undefined;
                try {
                    found = await call();
                }
                catch {
                    continue;
                }

                expect(found.status, `${JSON.stringify(text.slice(0, 10))}: ${found.text.slice(0, 300)}`).to.be.below(500);
            }
        }
    });
});
