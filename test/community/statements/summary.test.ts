import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { publicSummary, summarize } from '../../../src/community/statements/summary';
import { hasShards } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { StatementCast } from './cast';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('moderation in numbers', () => {
    let server: TestServer;
    let cast: StatementCast;

    before(async () => {
        server = await startTestServer({ fresh: true });
        cast = await StatementCast.open(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const months = async (by = cast.moderator): Promise<Answer['body'][]> => (await by.call('GET', '/moderation/summary')).body.months;

    it('has each of the last twelve months, with zeros where nothing was', async () => {
        const all = await months();
        const now = new Date();
        expect(all.map(({ month }) => month)).to.equal(Array.from({ length: 12 }, (_month, back) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7)));
        expect(all[3]).to.equal({
            month: all[3].month, reports: { project: 0, comment: 0, user: 0 }, decisions: { hold: 0, remove: 0, suspend: 0, kept: 0 }, median_hours: null, appeals: { upheld: 0, reversed: 0, open: 0 }
        });
    });

    it('counts reports, decisions and appeals', async () => {
        await cast.report();
        await server.call('POST', `/projects/${cast.project.id}/guest-reports`, { reason: 'spam' });
        await cast.decide('kept');
        await cast.report('spam', cast.moderator);
        await cast.report('spam', cast.other);
        await cast.hold();
        await cast.suspend();
        await cast.moderator.call('DELETE', cast.project.page.url);
        const [removed, suspended, held] = await cast.statements();
        for (const stated of [removed, suspended, held]) {
            await cast.appeal(stated);
        }

        await cast.answer(held, 'upheld');
        await cast.answer(suspended, 'reversed');
        const [now] = await months();
        expect(now).to.include({
            reports: { project: 4, comment: 0, user: 0 }, decisions: { hold: 1, remove: 1, suspend: 1, kept: 1 }, appeals: { upheld: 1, reversed: 1, open: 1 }
        });
    });

    it('says how long half of the decisions about reports took', async () => {
        const { db } = server.database;
        await db.raw('delete from moderation_counts');
        for (const hours of [1, 2, 30, 4, null]) {
            await db.raw(`insert into moderation_counts (project_id, at, kind, act, hours) values (?, now() - interval '70 days', 'project', 'hold', ?)`, [cast.project.id, hours]);
        }

        const found = (await months()).find(({ decisions }) => decisions.hold > 0);
        expect([found.decisions.hold, found.median_hours]).to.equal([5, 2]);
    });

    it('stays when the people are gone, and has only what is younger than its months', async () => {
        const { db } = server.database;
        await db.raw('delete from moderation_counts');
        await db.raw(`insert into moderation_counts (project_id, at, kind, act) values (?, now() - interval '400 days', 'user', 'suspend')`, [cast.project.id]);
        await cast.suspend();
        await db.raw('delete from users where id = ?', [cast.author.id]);
        const all = await summarize(db, Date.now());
        expect(all.reduce((sum, { decisions }) => sum + decisions.suspend, 0)).to.equal(1);
        expect(all[0]?.appeals).to.equal({ upheld: 0, reversed: 0, open: 0 });
    });

    it('is for moderators, but for the numbers that a page may show to everybody', async () => {
        expect((await cast.reader.call('GET', '/moderation/summary')).status).to.equal(403);
        const shown = await publicSummary(server.database.db, Date.now());
        expect(Object.keys(shown[0] ?? {})).to.equal(['month', 'reports', 'decisions', 'median_hours', 'appeals']);
        expect(publicSummary(server.database.db, Date.now())).to.shallow.equal(publicSummary(server.database.db, Date.now()));
    });

    it('is read by indexes of times', async () => {
        if (hasShards) {
            return;
        }

        const { db } = server.database;
        await db.raw(`insert into moderation_counts (project_id, at, kind, act) select n, now() - interval '2 years', 'project', 'report' from generate_series(1, 20000) n`);
        await db.raw('analyze moderation_counts');
        const { rows } = await db.raw(`explain select count(*) from moderation_counts c where c.at >= now() - interval '1 year'`);
        expect(JSON.stringify(rows)).to.contain('moderation_counts_at_idx');
    });
});
