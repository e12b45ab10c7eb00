import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { TIME } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { StatementCast } from './cast';
import type { Statement } from './cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('an appeal', () => {
    let server: TestServer;
    let cast: StatementCast;

    before(async () => {
        server = await startTestServer();
    });

    beforeEach(async () => {
        cast = await StatementCast.open(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** Ways to decide about the author, whether it is in effect, and how a moderator takes it back without an appeal. */
    const ways = {
        hold: {
            decide: () => cast.hold(),
            lasts: async () => (await cast.author.call('GET', cast.project.url)).body.project.held !== undefined,
            takeBack: (by) => cast.release(by)
        },
        suspension: {
            decide: () => cast.suspend(),
            lasts: async () => (await cast.author.call('POST', '/users/me/projects', { title: 'x' })).body.code === 'suspended',
            takeBack: (by) => cast.unsuspend(by)
        },
        'removal of a project': {
            decide: () => cast.moderator.call('DELETE', cast.project.url),
            lasts: async () => (await cast.author.call('GET', cast.project.url)).status === 404,
            takeBack: async (by) => cast.restore(await cast.entry('project', cast.project.id), by)
        },
        'removal of a page': {
            decide: () => cast.moderator.call('DELETE', cast.project.page.url),
            lasts: async () => (await cast.author.call('GET', cast.project.page.url)).status === 404,
            takeBack: async (by) => cast.restore(await cast.entry('page', cast.project.page.id), by)
        },
        'removal of an element': {
            decide: async () => {
                const element = await cast.author.element(cast.project.page);
                elementUrl = element.url;
                elementId = element.id;
                return cast.moderator.call('DELETE', element.url);
            },
            lasts: async () => (await cast.author.call('GET', elementUrl)).status === 404,
            takeBack: async (by) => cast.restore(await cast.entry('element', elementId), by)
        }
    } satisfies Record<string, { decide: () => Promise<Answer>; lasts: () => Promise<boolean>; takeBack: (by?: StatementCast['author']) => Promise<Answer> }>;
    let elementUrl: string;
    let elementId: string;

    for (const [name, { decide, lasts, takeBack }] of Object.entries(ways)) {
        it(`against a ${name} is decided by another moderator, and reversing undoes it`, async () => {
            expect((await decide()).status).to.equal(200);
            const stated = await cast.newest();
            expect((await cast.appeal(stated)).status).to.equal(201);
            for (const outcome of ['upheld', 'reversed']) {
                expect((await cast.answer(stated, outcome, cast.moderator)).body.code).to.equal('own_decision');
            }

            expect((await takeBack(cast.moderator)).body.code).to.equal('own_decision');
            expect(await lasts()).to.be.true();
            expect((await cast.newest()).appeal).to.include({ outcome: null, decided_at: null });

            const { status, body } = await cast.answer(stated, 'reversed');
            expect([status, body.status]).to.equal([200, 'updated']);
            expect(await lasts()).to.be.false();
            expect(body.statement).to.equal(await cast.newest());
            expect(body.statement.ended_at).to.match(TIME);
            expect(body.statement.appeal).to.include({ text: 'It is no shop', outcome: 'reversed', reason: 'I looked' });
            expect(await cast.notices()).to.equal([['decision', stated.id], ['appeal', stated.id]]);
            const { body: { entries } } = await cast.moderator.call('GET', '/moderation/log?count=3');
            expect(entries.filter(({ act }: Answer['body']) => act === 'reverse').length).to.equal(1);
        });

        it(`against a ${name} that is upheld leaves it as it is`, async () => {
            await decide();
            const stated = await cast.newest();
            await cast.appeal(stated);
            const { body: { statement } } = await cast.answer(stated, 'upheld');
            expect([statement.ended_at, statement.appeal.outcome, await lasts()]).to.equal([null, 'upheld', true]);
            expect(await cast.notices()).to.equal([['decision', stated.id], ['appeal', stated.id]]);
            // It can be taken back later, by whoever decided, too.
            expect((await takeBack(cast.moderator)).status).to.equal(200);
            expect((await cast.newest()).appeal.outcome).to.equal('upheld');
            expect((await cast.notices()).length).to.equal(2);
        });

        it(`against a ${name} is decided, too, if another moderator takes it back`, async () => {
            await decide();
            const stated = await cast.newest();
            await cast.appeal(stated);
            expect((await takeBack(cast.other)).status).to.equal(200);
            expect((await cast.newest()).appeal).to.include({ outcome: 'reversed', reason: null });
            expect(await cast.notices()).to.equal([['decision', stated.id], ['appeal', stated.id]]);
            expect((await cast.answer(stated, 'upheld')).body.code).to.equal('appeal_decided');
        });

        it(`against a ${name} is for whoever decided, if there is no other moderator`, async () => {
            await server.database.db.raw('update users set moderator = false where id = ?', [cast.other.id]);
            await decide();
            const stated = await cast.newest();
            await cast.appeal(stated);
            expect((await cast.answer(stated, 'reversed', cast.moderator)).status).to.equal(200);
            expect(await lasts()).to.be.false();
        });
    }

    it('is one for each statement, within its time, for the person concerned alone', async () => {
        await cast.hold();
        const stated = await cast.newest();
        expect((await cast.appeal(stated, 'x', cast.reader)).body.code).to.equal('not_found');
        expect((await cast.reader.call('POST', `/users/${cast.author.id}/statements/${stated.id}/appeal`, { text: 'x' })).body.code).to.equal('forbidden');
        expect((await cast.appeal(stated, '')).status).to.equal(400);
        expect((await cast.appeal(stated, 'x'.repeat(2001))).status).to.equal(400);
        expect((await cast.appeal({ id: '999999999' })).body.code).to.equal('not_found');
        const { status, body } = await cast.appeal(stated, 'x'.repeat(2000));
        expect([status, body.status, body.statement.appeal.outcome]).to.equal([201, 'created', null]);
        expect((await cast.appeal(stated)).body.code).to.equal('appealed');

        await cast.suspend();
        const suspended = await cast.newest();
        await cast.unsuspend();
        expect((await cast.appeal(suspended)).body.code).to.equal('appeal_closed');
        await cast.suspend();
        const late = await cast.newest();
        await server.database.db.raw(`update statements set at = now() - interval '91 days' where id = ?`, [late.id]);
        expect((await cast.appeal(late)).body.code).to.equal('appeal_closed');
    });

    it('that is sent again with its key is the same one', async () => {
        await cast.hold();
        const { id } = await cast.newest();
        const send = (): Promise<Answer> => cast.author.call('POST', `/users/me/statements/${id}/appeal`, { text: 'No' }, { headers: { 'idempotency-key': 'the-appeal-of-the-author' } });
        const [first, again] = [await send(), await send()];
        expect([first.status, again.status, again.body]).to.equal([201, 201, first.body]);
    });

    it('is in the list of moderators until it is decided, oldest first, and nobody else has the list', async () => {
        await cast.hold();
        const [stated] = await cast.statements();
        await cast.suspend();
        const second = await cast.newest();
        const { body: empty } = await cast.moderator.call('GET', '/moderation/appeals');
        const earlier = empty.appeals.length;
        await cast.appeal(second);
        await cast.appeal(stated);
        const listed = async (): Promise<Statement[]> => {
            const all: Statement[] = [];
            let next: string | null = null;
            do {
                const { body }: Answer = await cast.other.call('GET', `/moderation/appeals?count=1${next === null ? '' : `&after=${next}`}`);
                all.push(...body.appeals);
                next = body.next;
            } while (next !== null);

            return all;
        };

        expect((await listed()).slice(earlier).map(({ statement, user, moderator }) => [statement.id, user, moderator])).to.equal([second, stated].map(({ id }) => [
            id, { id: cast.author.id, username: cast.author.username }, { id: cast.moderator.id, username: cast.moderator.username }]));
        await cast.answer(second, 'upheld');
        expect((await listed()).map(({ statement }) => statement.id)).to.not.include(second.id);
        for (const one of [cast.author, cast.reader]) {
            expect((await one.call('GET', '/moderation/appeals')).status).to.equal(403);
            expect((await cast.answer(stated, 'reversed', one)).status).to.equal(403);
        }
    });

    it('needs a sign-in to decide on', async () => {
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        const { body: { token } } = await cast.other.call('POST', '/users/me/tokens', { label: 'script', scope: ['user', 'projects'] });
        const { body } = await server.call('PATCH', `/moderation/appeals/${stated.id}`, { outcome: 'reversed', reason: 'x' }, { token: token.access_token });
        expect(body.code).to.equal('sign_in_needed');
    });

    it('against nothing is not found', async () => {
        await cast.hold();
        expect((await cast.answer(await cast.newest(), 'upheld')).body.code).to.equal('not_found');
        expect((await cast.answer({ id: '999999999' }, 'upheld')).body.code).to.equal('not_found');
    });

    it('that is reversed puts a page beside the one that has taken its place', async () => {
        const { x, y } = (await cast.author.call('GET', cast.project.page.url)).body.page;
        await cast.moderator.call('DELETE', cast.project.page.url);
        const stated = await cast.newest();
        await cast.appeal(stated);
        await cast.author.page(cast.project, { x, y });
        expect((await cast.answer(stated, 'reversed')).status).to.equal(200);
        expect((await cast.author.call('GET', cast.project.page.url)).body.page).to.include({ x: x + 1, y });
    });

    it('that is reversed leaves to the owner what was in something that is gone', async () => {
        await cast.moderator.call('DELETE', cast.project.page.url);
        const stated = await cast.newest();
        await cast.appeal(stated);
        await cast.author.call('DELETE', cast.project.url);
        expect((await cast.answer(stated, 'reversed')).body.statement.appeal.outcome).to.equal('reversed');
        const { body: { trash } } = await cast.author.call('GET', '/users/me/trash');
        const entry = (type: string): string => trash.find((one: Answer['body']) => one.type === type).id;
        expect((await cast.restore(entry('project'), cast.author)).status).to.equal(200);
        expect((await cast.restore(entry('page'), cast.author)).status).to.equal(200);
        expect((await cast.newest()).ended_at).to.match(TIME);
    });

    it('that is reversed after the thing was deleted for good says so, and nothing comes back', async () => {
        await cast.moderator.call('DELETE', cast.project.url);
        const stated = await cast.newest();
        await cast.appeal(stated);
        await cast.moderator.call('DELETE', `/users/${cast.author.id}/trash/${await cast.entry('project', cast.project.id)}`);
        expect((await cast.answer(stated, 'reversed')).body.statement).to.include({ title: null });
        expect((await cast.newest()).ended_at).to.match(TIME);
    });

    it('outlives a decision anew: reversing it undoes that one, too', async () => {
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        await cast.hold(cast.moderator, { reason: 'Still a shop' });
        expect((await cast.release()).body.code).to.equal('own_decision');
        expect((await cast.answer(stated, 'reversed')).status).to.equal(200);
        expect((await cast.author.call('GET', cast.project.url)).body.project.held).to.be.undefined();
        expect((await cast.statements()).every(({ ended_at: ended }) => ended !== null)).to.be.true();
    });

    it('takes back what came of the reports that had led to the decision, if it reverses that', async () => {
        const { author, project, reader, moderator } = cast;
        const outcome = async (): Promise<string> => (await reader.call('GET', `/users/${reader.id}/reports`)).body.reports[0].outcome;
        const { body: { comment } } = await author.call('POST', `${project.url}/comments`, { text: 'Buy here' });
        const decided = {
            held: [() => cast.report(), () => cast.decide('held')],
            removed: [
                () => reader.call('POST', `/comments/${comment.id}/reports`, { reason: 'spam' }),
                () => moderator.call('PATCH', `/moderation/reports/comments/${comment.id}`, { state: 'removed', note: 'A shop' })
            ],
            suspended: [
                () => reader.call('POST', `/users/${author.id}/reports`, { reason: 'spam' }),
                () => moderator.call('PATCH', `/moderation/reports/users/${author.id}`, { state: 'suspended', note: 'A shop' })
            ]
        } as const;
        for (const [state, steps] of Object.entries(decided)) {
            for (const step of steps) {
                expect((await step()).status, state).to.be.within(200, 201);
            }

            expect(await outcome()).to.equal(state);
            const statement = await cast.newest();
            expect((await cast.appeal(statement)).status, state).to.equal(201);
            expect((await cast.answer(statement, 'reversed')).status, state).to.equal(200);
            expect(await outcome(), state).to.equal('kept');
        }
    });
});
