import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { hashSecret, newSecret } from '../../../src/api/auth/secrets';
import { administration } from '../../routes/administration';
import { routes, urlOf } from '../../routes/index';
import type { Row } from '../../routes/index';
import { Cast } from '../../support/cast';
import type { Account } from '../../support/cast';
import { startProvider } from '../../support/provider';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const rows = routes.filter(({ key }) => key.includes(' /admin/'));

describe('the routes of the staff', () => {
    let server: TestServer;
    let cast: Cast;

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const tokenOf = async ({ id }: Pick<Account, 'id'>, origin: string, app: string | null = null): Promise<string> => {
        const secret = newSecret();
        await server.database.db.raw(`insert into tokens (user_id, hash, scope, origin, app_id, expires_at) values (?, ?, '{user,projects}', ?, ?, now() + interval '1 hour')`, [id, hashSecret(secret), origin, app]);
        return secret;
    };

    const ask = async (on: TestServer, row: Row, token: string): Promise<Answer> => {
        const target = { ...await cast.target() };
        return await on.call(row.method, urlOf(row, target), row.body?.(target), { token });
    };

    it('are all that have such a path', () => {
        expect(rows.length).to.equal(Object.keys(administration).length - 1);
        expect(rows.map(({ callers }) => callers).every((cells) => cells === '403 403 403 403')).to.be.true();
    });

    for (const row of rows) {
        it(`let in staff that has signed in, and no script, app or moderator: ${row.key}`, async () => {
            const staff = await cast.staff();
            const { app } = await cast.target();
            expect((await ask(server, row, staff.token)).status).to.satisfy((status: number) => status < 300 || status === 404);
            for (const token of [await tokenOf(staff, 'personal'), await tokenOf(staff, 'app', app)]) {
                const { status, body } = await ask(server, row, token);
                expect([status, body.code]).to.equal([403, 'sign_in_needed']);
            }

            const moderator = await cast.actor('moderator');
            const { status, body } = await ask(server, row, moderator.token);
            expect([status, body.code, body.message]).to.equal([403, 'forbidden', 'Only staff can do this.']);
        });
    }

    it('need a passkey where moderators do', async () => {
        const strict = await startTestServer({ config: { moderatorsNeed: 'passkey' }, database: { ...server.database, drop: () => Promise.resolve() } });
        const staff = await cast.staff();
        expect((await strict.call('GET', '/admin/log', undefined, { token: staff.token })).status).to.equal(403);
        expect((await strict.call('GET', '/admin/log', undefined, { token: await tokenOf(staff, 'passkey') })).status).to.equal(200);
        await strict.stop();
    });

    it('are not for an account that a class manages, nor after the permission was taken away', async () => {
        const [staff, other] = [await cast.staff(), await cast.staff()];
        const { class_id: managedBy } = await cast.target();
        await server.database.db.raw(`update users set managed_by = ?, publish = 'class' where id = ?`, [managedBy, other.id]);
        expect((await server.call('GET', '/admin/log', undefined, { token: other.token })).status).to.equal(403);
        await server.database.db.raw('update users set staff = false where id = ?', [staff.id]);
        expect((await server.call('GET', '/admin/log', undefined, { token: staff.token })).status).to.equal(403);
    });

    it('work with tokens of another provider, but for what that provider has', async () => {
        const provider = await startProvider('jwt');
        const elsewhere = await startTestServer({ config: { auth: provider.settings() } });
        const others = new Cast(elsewhere, provider);
        const staff = await others.staff();
        expect((await elsewhere.call('GET', '/admin/users', undefined, { token: staff.token })).body.users.map(({ id }: Account) => id)).to.equal([staff.id]);
        const details = await elsewhere.call('GET', `/admin/users/${staff.id}`, undefined, { token: staff.token });
        expect(details.body.user.signs_in).to.equal('elsewhere');
        expect((await elsewhere.call('POST', `/admin/users/${staff.id}/password`, {}, { token: staff.token })).body.code).to.equal('not_local');
        await elsewhere.stop();
        await provider.stop();
    });

    it('give no right to what is private: staff reads no project, history or trash of others, and does not moderate', async () => {
        const staff = await cast.staff();
        const { user, project } = await cast.target();
        await server.database.db.raw(`update projects set visibility = 'private' where id = ?`, [project]);
        for (const url of [`/users/${user}/projects/${project}`, `/projects/${project}`, `/users/${user}/projects/${project}/history`]) {
            expect((await server.call('GET', url, undefined, { token: staff.token })).status, url).to.equal(404);
        }

        expect((await server.call('GET', `/users/${user}/trash`, undefined, { token: staff.token })).status).to.equal(403);
        expect((await server.call('GET', '/moderation/reports', undefined, { token: staff.token })).status).to.equal(403);
        const { text } = await server.call('GET', `/admin/users/${user}`, undefined, { token: staff.token });
        expect(text).to.not.contain('Mine');
    });
});
