import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { Counters } from '../../../src/api/protection/counters';
import { limits } from '../../../src/api/protection/rate-limits';
import { openAuthor } from '../../support/authoring';
import { until } from '../../support/host';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

describe('Limits are counted in memory', () => {
    let server: TestServer;
    let twin: TestServer;
    let path: string;

    before(async () => {
        server = await startTestServer({ config: { rateLimit: true } });
        twin = await startTestServer({ config: { rateLimit: true }, database: server.database });
        path = `/view-project/${(await (await openAuthor(server)).project()).id}`;
        // How many statements have written counters.
        await server.database.db.raw(`
            create sequence counter_writes;
            create function note_write() returns trigger language plpgsql as $$ begin perform nextval('counter_writes'); return null; end $$;
            create trigger note_write after insert or update on rate_limits for each statement execute function note_write()`);
    });

    after(async () => {
        await twin.server.stop();
        await server.stop();
    });

    const pointsOf = async (key: string): Promise<number> => (await server.database.db.raw('select points from rate_limits where key = ?', [key])).rows[0]?.points;
    const writes = async (): Promise<number> => Number((await server.database.db.raw('select case when is_called then last_value else 0 end as n from counter_writes')).rows[0].n);
    const view = async (at: TestServer, from: string): Promise<number> => (await at.server.inject({ method: 'POST', url: path, remoteAddress: from })).statusCode;
    const many = (count: number, at: TestServer, from: string): Promise<number[]> => Promise.all(Array.from({ length: count }, () => view(at, from)));

    it('refuses in memory, with no statement, and while the row of its counter is locked', async () => {
        const from = '127.0.1.1';
        const all = await many(limits.views.points + 200, server, from);
        expect(all.filter((status) => status === 429)).to.have.length(200);
        await until(async () => await pointsOf(`views:${from}`) === limits.views.points);
        const written = await writes();
        expect(written).to.be.below(50);

        const lock = await server.database.db.transaction();
        await lock.raw('select from rate_limits for update');
        const refused = await many(200, server, from);
        expect(new Set(refused)).to.equal(new Set([429]));
        // And others are counted, while what writes the counters waits, once.
        expect(new Set(await many(50, server, '127.0.1.2'))).to.equal(new Set([200]));
        const { rows } = await server.database.db.raw(`select 1 from pg_stat_activity where datname = current_database() and query like '%into rate_limits%' and wait_event_type = 'Lock'`);
        expect(Number(rows.length)).to.be.below(2);
        await lock.rollback();
        await until(async () => await pointsOf('views:127.0.1.2') === 50);
        expect(await writes() - written).to.be.below(50);
    });

    it('counts on all instances together, but for what reached another one since it last wrote', async () => {
        const from = '127.0.1.3';
        const most = limits.views.points;
        await many(most - 20, server, from);
        await until(async () => await pointsOf(`views:${from}`) === most - 20);
        // A key that it does not know yet is read.
        expect((await many(25, twin, from)).filter((status) => status === 200)).to.have.length(20);
        await until(async () => await pointsOf(`views:${from}`) === most);
        // The first one has not heard of those: it lets through what it had left at most, until it has written it.
        const more = (await many(200, server, from)).filter((status) => status === 200);
        expect(more).to.have.length(20);
        await until(async () => await pointsOf(`views:${from}`) === most + 20);
        expect([await view(server, from), await view(twin, from)]).to.equal([429, 429]);
    });

    it('writes nothing of a time that is over into the one after it', async () => {
        let now = Date.now();
        const counters = new Counters(server.database.db, () => now);
        const [one] = [{ key: 'views:somebody', limit: limits.views }];
        await counters.count([one, one]);
        now += 61_000;
        await server.database.db.raw('insert into rate_limits (key, points, expire) values (?, 7, ?)', [one.key, now + 60_000]);
        await counters.write();
        expect(await pointsOf(one.key)).to.equal(7);
        expect((await counters.count([one])).left).to.equal([{ points: limits.views.points - 8, ms: 60_000 }]);
        await counters.write();
        expect(await pointsOf(one.key)).to.equal(8);
        expect(counters.takeBack([one])).to.equal([{ points: limits.views.points - 7, ms: 60_000 }]);
        await counters.write();
        expect(await pointsOf(one.key)).to.equal(7);
    });

    it('writes what could not be written later', { skip: isCluster }, async () => {
        const from = '127.0.1.4';
        await view(server, from);
        await until(async () => await pointsOf(`views:${from}`) === 1);
        await server.database.db.raw('alter table rate_limits rename to mislaid');
        expect(new Set(await many(5, server, from))).to.equal(new Set([200]));
        await new Promise((resolve) => void setTimeout(resolve, 400));
        await server.database.db.raw('alter table mislaid rename to rate_limits');
        await until(async () => await pointsOf(`views:${from}`) === 6);
        expect(server.faults).to.equal([]);
    });
});
