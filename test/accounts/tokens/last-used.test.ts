import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashSecret } from '../../../src/api/auth/secrets';
import { TokenUses } from '../../../src/api/auth/token-uses';
import { openDatabase } from '../../../src/database/statements/connection';
import { Cast } from '../../support/cast';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { until } from '../../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const HOUR = 3_600_000;

describe('the last use of a token', () => {
    let server: TestServer;
    let cast: Cast;
    let user: string;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        user = (await cast.account()).id;
    });

    after(() => server.stop());

    const lastUsed = async (secret: string): Promise<Date | null> => {
        const { rows: [row] } = await server.database.db.raw('select last_used_at from tokens where hash = ?', [hashSecret(secret)]);
        return row.last_used_at;
    };

    /** How often the row of a token was written, as its version tells. */
    const version = async (secret: string): Promise<string> => {
        const { rows: [row] } = await server.database.db.raw('select xmin::text as version from tokens where hash = ?', [hashSecret(secret)]);
        return row.version;
    };

    it('is shown by the hour, soon after a request, and not by one that failed', async () => {
        const [token, other] = [await cast.token(user), await cast.token(user)];
        expect((await server.call('GET', `/users/${user}`, undefined, { token: `${token.slice(0, -1)}_` })).status).to.equal(401);
        expect(await lastUsed(token)).to.be.null();
        const earliest = Math.floor(Date.now() / HOUR) * HOUR;
        expect((await server.call('GET', `/users/${user}`, undefined, { token })).status).to.equal(200);
        await until(async () => await lastUsed(token) !== null);

        const { body } = await server.call('GET', '/tokens', undefined, { token });
        const [newer, older] = body.tokens;
        expect(newer.last_used_at).to.be.null();
        expect(Date.parse(older.last_used_at) % HOUR).to.equal(0);
        expect([earliest, earliest + HOUR]).to.include(Date.parse(older.last_used_at));
        expect(await lastUsed(other)).to.be.null();
    });

    it('is also a read of what is private, by a route that needs no token, and not of what is for everybody', async () => {
        const token = await cast.token(user);
        const { body: { project } } = await server.call('POST', `/users/${user}/projects`, { title: 'Mine', visibility: 'private' }, { token: await cast.token(user) });
        await server.call('GET', '/discover', undefined, { token });
        expect((await server.call('GET', `/users/${user}/projects/${project.id}`, undefined, { token })).status).to.equal(200);
        await until(async () => await lastUsed(token) !== null);
    });

    it('is written once in an hour, by several instances too, and again in the next hour', async () => {
        let now = Date.now();
        const second = openDatabase({ url: server.database.url, pool: 2, name: 'second instance' });
        const instances = [new TokenUses(server.database.db, () => now), new TokenUses(second, () => now)];
        const secret = await cast.token(user);
        const hash = hashSecret(secret);
        const use = async (): Promise<void> => {
            for (const uses of instances) {
                uses.note(hash);
                uses.note(hash);
            }

            await Promise.all(instances.map((uses) => uses.write()));
        };

        await use();
        const written = await version(secret);
        await use();
        now += HOUR;
        await use();
        expect(await version(secret)).to.equal(written);
        await server.database.db.raw(`update tokens set last_used_at = last_used_at - interval '1 hour' where hash = ?`, [hash]);
        const older = await version(secret);
        now += HOUR;
        await use();
        expect(await version(secret)).to.not.equal(older);
        await second.destroy();
    });

    it('is noted again by the next use if it could not be written', async () => {
        const secret = await cast.token(user);
        const uses = new TokenUses(server.database.db, Date.now);
        await server.database.db.raw('alter table tokens rename column last_used_at to hidden');
        uses.note(hashSecret(secret));
        await uses.write();
        await server.database.db.raw('alter table tokens rename column hidden to last_used_at');
        expect(await lastUsed(secret)).to.be.null();
        uses.note(hashSecret(secret));
        await uses.write();
        expect(await lastUsed(secret)).to.not.be.null();
    });

    it('does not keep a request waiting while the row is locked', async () => {
        const secret = await cast.token(user);
        const trx = await server.database.db.transaction();
        await trx.raw('select from tokens where hash = ? for update', [hashSecret(secret)]);
        expect((await server.call('GET', `/users/${user}`, undefined, { token: secret })).status).to.equal(200);
        const uses = new TokenUses(server.database.db, Date.now);
        uses.note(hashSecret(secret));
        await uses.write();
        await trx.rollback();
        expect(await lastUsed(secret)).to.be.null();
    });

    it('is written when the service stops', async () => {
        const own = await startTestServer();
        const { token } = await own.open();
        const { db } = own.database;
        await own.call('GET', '/tokens', undefined, { token });
        await own.server.stop();
        const { rows: [row] } = await db.raw('select last_used_at from tokens where hash = ?', [hashSecret(token)]);
        expect(row.last_used_at).to.be.an.instanceof(Date);
        await own.stop();
    });
});
