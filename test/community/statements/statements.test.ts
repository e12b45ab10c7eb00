import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { ID, TIME, openAuthor } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { StatementCast } from './cast';
import type { Statement } from './cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('statements', () => {
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

    /** Each way to decide, and what is stated to the author. */
    const decisions: readonly (readonly [name: string, decide: (c: StatementCast) => Promise<{ status: number }>, stated: object])[] = [
        ['a hold', (c) => c.hold(), { decision: 'hold', type: 'project', rule: 'other', reason: 'A shop', facts: 'own' }],
        ['a hold by a rule', (c) => c.hold(c.moderator, { reason: 'A shop', rule: 'spam' }), { decision: 'hold', type: 'project', rule: 'spam', reason: 'A shop', facts: 'own' }],
        ['a hold after reports', async (c) => {
            await c.report('hurtful');
            await c.report('hurtful', c.other);
            await c.report('spam', c.moderator);
            return c.decide('held');
        }, { decision: 'hold', type: 'project', rule: 'hurtful', reason: 'A shop', facts: 'report' }],
        ['a removal after reports', async (c) => {
            await c.report('personal');
            return c.decide('removed');
        }, { decision: 'remove', type: 'project', rule: 'personal', reason: 'A shop', facts: 'report' }],
        ['a removal after reports, by another rule', async (c) => {
            await c.report('personal');
            return c.decide('removed', c.moderator, { rule: 'dangerous' });
        }, { decision: 'remove', type: 'project', rule: 'dangerous', reason: 'A shop', facts: 'report' }],
        ['a removal of a project', (c) => c.moderator.call('DELETE', c.project.url), { decision: 'remove', type: 'project', rule: 'other', reason: 'A moderator removed this.', facts: 'own' }],
        ['a removal of a page', (c) => c.moderator.call('DELETE', c.project.page.url), { decision: 'remove', type: 'page', rule: 'other', reason: 'A moderator removed this.', facts: 'own' }],
        ['a removal of an element', async (c) => c.moderator.call('DELETE', (await c.author.element(c.project.page)).url), { decision: 'remove', type: 'element', facts: 'own' }],
        ['a removal in a bulk', (c) => c.moderator.call('POST', `/users/${c.moderator.id}/bulk`, { actions: [{ type: 'pages', method: 'remove', data: { id: c.project.page.id } }] }), { decision: 'remove', type: 'page', facts: 'own' }],
        ['a suspension', (c) => c.suspend(), { decision: 'suspend', type: 'user', rule: 'other', reason: 'Spam', facts: 'own', project_id: null, title: null, until: null }],
        ['a suspension until a time, by a rule', (c) => c.suspend(c.moderator, { reason: 'Spam', rule: 'spam', until: '2036-04-01T00:00:00Z' }), { decision: 'suspend', type: 'user', rule: 'spam', until: '2036-04-01T00:00:00.000Z' }]
    ];

    for (const [name, decide, stated] of decisions) {
        it(`are one for ${name}, with one notice`, async () => {
            const { status } = await decide(cast);
            expect(status).to.equal(200);
            const statements = await cast.statements();
            expect(statements.length).to.equal(1);
            const [{ id, thing_id: thingId, at, ...rest }] = statements as [Statement];
            expect(id).to.match(ID);
            expect(thingId).to.match(ID);
            expect(at).to.match(TIME);
            expect(rest).to.include({ appeal: null, ended_at: null, ...rest.type !== 'user' && { project_id: cast.project.id, title: 'Win a phone' }, ...stated });
            expect(await cast.notices()).to.equal([['decision', id]]);
        });
    }

    it('are none for what people decide about their own, and for what moderators keep', async () => {
        const page = await cast.author.page(cast.project, { x: 4, y: 0 });
        await cast.author.call('DELETE', page.url);
        await cast.report();
        expect((await cast.decide('kept')).status).to.equal(200);
        await cast.server.database.db.raw(`insert into project_members (project_id, user_id, role) values (?, ?, 'editor')`, [cast.project.id, cast.reader.id]);
        expect((await cast.reader.call('DELETE', cast.project.page.url)).status).to.equal(200);
        expect((await cast.author.call('DELETE', cast.project.url)).status).to.equal(200);
        expect([await cast.statements(), await cast.notices()]).to.equal([[], []]);
    });

    it('end when what they say is taken back, and when it is decided anew', async () => {
        await cast.hold();
        await cast.hold(cast.other, { reason: 'Still a shop', rule: 'spam' });
        const [second, first] = await cast.statements() as [Statement, Statement];
        expect([first.ended_at === null, second.ended_at, second.rule]).to.equal([false, null, 'spam']);
        await cast.release();
        expect((await cast.newest()).ended_at).to.match(TIME);

        await cast.moderator.call('DELETE', cast.project.page.url);
        expect((await cast.newest()).ended_at).to.be.null();
        await cast.restore(await cast.entry('page', cast.project.page.id));
        expect((await cast.newest()).ended_at).to.match(TIME);

        await cast.suspend();
        await cast.unsuspend();
        expect((await cast.newest()).ended_at).to.match(TIME);
        expect((await cast.notices()).map(([kind]) => kind)).to.equal(['decision', 'decision', 'decision', 'decision']);
    });

    it('stay as they are when what was removed is deleted for good, and go with the account', async () => {
        await cast.moderator.call('DELETE', cast.project.page.url);
        const entry = await cast.entry('page', cast.project.page.id);
        expect((await cast.moderator.call('DELETE', `/users/${cast.author.id}/trash/${entry}`)).status).to.equal(200);
        expect(await cast.newest()).to.include({ decision: 'remove', ended_at: null });
        await server.database.db.raw('delete from users where id = ?', [cast.author.id]);
        const { rows } = await server.database.db.raw('select from statements where user_id = ?', [cast.author.id]);
        expect(rows).to.equal([]);
    });

    it('are for the person concerned alone, also while they are suspended', async () => {
        await cast.suspend();
        const path = `/users/${cast.author.id}/statements`;
        for (const [one, status] of [[cast.author, 200], [cast.reader, 403], [cast.moderator, 403], [cast.other, 403]] as const) {
            expect((await one.call('GET', path)).status).to.equal(status);
        }

        expect((await server.call('GET', path)).status).to.equal(401);
        expect((await cast.author.call('GET', '/users/me/statements')).body.statements.length).to.equal(1);
    });

    it('come in pages, newest first, each once, and a page ends before it is large', async () => {
        for (let n = 0; n < 5; ++n) {
            await cast.hold(cast.moderator, { reason: `${n}` });
        }

        const seen: string[] = [];
        let next: string | null = null;
        do {
            const { body, headers }: { body: Statement; headers: Record<string, unknown> } = await cast.author.call('GET', `/users/me/statements?count=2${next === null ? '' : `&after=${next}`}`);
            seen.push(...body.statements.map(({ reason }: Statement) => reason));
            next = body.next;
            expect(headers.link !== undefined).to.equal(next !== null);
        } while (next !== null);

        expect(seen).to.equal(['4', '3', '2', '1', '0']);

        await server.database.db.raw(`
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, appeal, appealed_at)
            select 0, ?, 'suspend', 'user', ?, 'spam', repeat(chr(1), 1000), 'own', repeat(chr(1), 2000), now() from generate_series(1, 20)`, [cast.author.id, cast.author.id]);
        const { text, body } = await cast.author.call('GET', '/users/me/statements?count=100');
        expect(Buffer.byteLength(text)).to.be.below(64 * 1024);
        expect(body.next).to.not.be.null();
    });

    it('are at most 100 in a page, as appeals are, also if nobody says how many', async () => {
        // Long ones of other tests would come first, and end the page.
        await server.database.db.raw('delete from statements');
        await server.database.db.raw(`
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts, appeal, appealed_at)
            select 0, ?, 'suspend', 'user', ?, 'spam', 'x', 'own', 'x', now() from generate_series(1, 101)`, [cast.author.id, cast.author.id]);
        for (const [who, url, name] of [[cast.author, '/users/me/statements', 'statements'], [cast.moderator, '/moderation/appeals', 'appeals']] as const) {
            const { body } = await who.call('GET', url);
            expect([body[name].length, body.next === null], url).to.equal([100, false]);
        }
    });

    it('do not show the title of somebody else\'s project to whom may not read it', async () => {
        const theirs = await cast.reader.project({ title: 'Secret', visibility: 'private' });
        await server.database.db.raw(`
            insert into statements (project_id, user_id, decision, type, thing_id, rule, reason, facts) values (?, ?, 'remove', 'comment', 1, 'spam', 'Spam', 'own')`, [theirs.id, cast.author.id]);
        expect(await cast.newest()).to.include({ type: 'comment', project_id: theirs.id, title: null });
        await cast.reader.call('PATCH', theirs.url, { visibility: 'unlisted' });
        expect((await cast.newest()).title).to.equal('Secret');
    });

    it('name nobody, whoever decided', async () => {
        await cast.hold();
        const text = JSON.stringify(await cast.statements());
        expect(text).to.not.contain(cast.moderator.username);
        const fresh = await openAuthor(server);
        expect(await cast.statements(fresh)).to.equal([]);
    });
});
