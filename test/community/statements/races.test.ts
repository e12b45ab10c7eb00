import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, startWhileLocked } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { StatementCast } from './cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('an appeal, at the same time as something else,', () => {
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

    it('is decided once, if two moderators do it at the same time', async () => {
        const third = await openAuthor(server, undefined, { moderator: true });
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        const answers = await startWhileLocked(server, ['projects', cast.project.id], [() => cast.answer(stated, 'upheld'), () => cast.answer(stated, 'reversed', third)]);
        expect(answers.map(({ status, body }) => [status, body.code])).to.equal([[200, undefined], [409, 'appeal_decided']]);
        expect((await cast.notices()).length).to.equal(2);
        expect((await cast.author.call('GET', cast.project.url)).body.project.held).to.not.be.undefined();
    });

    it('is not decided by somebody who lost the right to it while they waited', async () => {
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        // Whoever takes the right away waits in turn, so it is gone when the next one comes.
        const [first] = await startWhileLocked(server, ['users', cast.other.id], [() => cast.answer(stated, 'reversed')], async (trx) => {
            await trx.raw('update users set moderator = false where id = ?', [cast.other.id]);
        });
        expect(first?.status).to.equal(403);
        expect((await cast.newest()).appeal.outcome).to.be.null();
    });

    it('that waits becomes another moderator\'s as soon as there is one', async () => {
        await server.database.db.raw('update users set moderator = false where id = ?', [cast.other.id]);
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        const [answer] = await startWhileLocked(server, ['projects', cast.project.id], [() => cast.release()], async () => {
            await server.database.db.raw('update users set moderator = true where id = ?', [cast.other.id]);
        });
        expect(answer?.body.code).to.equal('own_decision');
    });

    it('leaves nothing half if its transaction is killed, and can be decided then', async () => {
        await cast.hold();
        const stated = await cast.newest();
        await cast.appeal(stated);
        const { db } = server.database;
        const trx = await db.transaction();
        // All is done but for the notice.
        await trx.raw('lock table notice_events in exclusive mode');
        const answer = cast.answer(stated, 'reversed');
        let killed = 0;
        while (killed === 0) {
            const { rows } = await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%notice_events%'`);
            killed = rows.length;
        }

        await trx.commit();
        expect((await answer).status).to.equal(503);
        server.faults.length = 0;
        expect((await cast.newest())).to.include({ ended_at: null });
        expect((await cast.newest()).appeal.outcome).to.be.null();
        expect((await cast.author.call('GET', cast.project.url)).body.project.held).to.not.be.undefined();
        expect((await cast.notices()).length).to.equal(1);
        expect((await cast.answer(stated, 'reversed')).status).to.equal(200);
        expect((await cast.notices()).length).to.equal(2);
    });
});
