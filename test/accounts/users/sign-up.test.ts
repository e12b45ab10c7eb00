import { randomUUID } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { limits } from '../../../src/api/protection/rate-limits';
import { fakeHost } from '../../support/host';
import { startProvider } from '../../support/provider';
import type { TestProvider } from '../../support/provider';
import { PASSWORD, startTestServer } from '../../support/server';
import type { Answer, Call, TestServer } from '../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

/** Creates a code, as an operator does. */
async function invite({ database }: TestServer, ...options: string[]): Promise<string> {
    const host = fakeHost({ DATABASE_URL: database.url });
    expect(await run(['invite', ...options], host), host.err).to.equal(0);
    expect(host.out).to.match(/^[0-9a-f]{32}\n$/);
    return host.out.trim();
}

const outcome = ({ status, body }: Answer): [number, string] => [status, body.code ?? body.status];

describe('sign-up', () => {
    let open: TestServer;
    let closed: TestServer;
    let invited: TestServer;
    let names = 0;

    before(async () => {
        open = await startTestServer();
        closed = await startTestServer({ config: { signUp: 'closed' }, database: open.database });
        invited = await startTestServer({ config: { signUp: 'invite' }, database: open.database });
    });

    after(async () => {
        await closed.server.stop();
        await invited.server.stop();
        await open.stop();
    });

    const join = (by: TestServer, code?: string, { username = `name-${++names}`, ...more }: Call & { username?: string } = {}): Promise<Answer> => {
        return by.call('POST', '/users', { username, password: PASSWORD, code }, more);
    };

    const usesLeft = async (): Promise<number[]> => {
        const { rows } = await open.database.db.raw('select uses_left from sign_up_codes order by created_at, hash');
        return rows.map((row: { uses_left: number }) => row.uses_left);
    };

    it('is open by default, and then ignores a code', async () => {
        expect(outcome(await join(open))).to.equal([201, 'created']);
        expect(outcome(await join(open, 'whatever'))).to.equal([201, 'created']);
    });

    it('can be closed, which does not affect existing accounts', async () => {
        const ada = await open.open('ada');
        expect(outcome(await join(closed))).to.equal([403, 'sign_up_closed']);
        expect(outcome(await join(closed, await invite(open)))).to.equal([403, 'sign_up_closed']);
        expect(outcome(await closed.call('POST', '/tokens', { username: 'ada', password: PASSWORD }))).to.equal([201, 'created']);
        expect(outcome(await closed.call('GET', `/users/${ada.id}`, undefined, { token: ada.token }))).to.equal([200, 'success']);
    });

    it('can need a code, in any case of its letters', async () => {
        const code = await invite(open, '--uses', '2');
        expect(outcome(await join(invited))).to.equal([403, 'invitation_needed']);
        expect(outcome(await join(invited, 'nonsense'))).to.equal([403, 'invitation_invalid']);
        expect(outcome(await join(invited, code.replace(/^./, (first) => (first === '0' ? '1' : '0'))))).to.equal([403, 'invitation_invalid']);
        expect(outcome(await join(invited, code))).to.equal([201, 'created']);
        expect(outcome(await join(invited, code.toUpperCase()))).to.equal([201, 'created']);
        expect(outcome(await join(invited, code))).to.equal([403, 'invitation_invalid']);
        expect(outcome(await join(invited, ''))).to.equal([400, 'validation_failed']);
    });

    it('does not accept a code that has expired, or that an operator revoked', async () => {
        const late = await invite(open);
        await open.database.db.raw(`update sign_up_codes set expires_at = now() where hash = sha256('${late}')`);
        expect(outcome(await join(invited, late))).to.equal([403, 'invitation_invalid']);

        const known = await invite(open);
        const host = fakeHost({ DATABASE_URL: open.database.url });
        expect(await run(['invite', '--revoke', known], host)).to.equal(0);
        expect(host.out).to.equal('The code no longer opens an account.\n');
        expect(outcome(await join(invited, known))).to.equal([403, 'invitation_invalid']);
        expect(await run(['invite', '--revoke', known], host)).to.equal(1);
        expect(host.err).to.equal('There is no such sign-up code, or it has been deleted.\n');
    });

    it('counts each use once, however many come at the same time', async () => {
        await open.database.db.raw('delete from sign_up_codes');
        const code = await invite(open, '--uses', '3');
        const answers = await Promise.all(Array.from({ length: 10 }, () => join(invited, code)));
        expect(answers.filter(({ status }) => status === 201)).to.have.length(3);
        expect(answers.filter(({ body }) => body.code === 'invitation_invalid')).to.have.length(7);
        expect(await usesLeft()).to.equal([0]);
    });

    it('does not count a use that opens no account, or a repeated request', async () => {
        await open.database.db.raw('delete from sign_up_codes');
        const code = await invite(open, '--uses', '2');
        expect(outcome(await join(invited, code, { username: 'ADA' }))).to.equal([409, 'username_taken']);
        expect(await usesLeft()).to.equal([2]);

        const headers = { 'idempotency-key': randomUUID() };
        const first = await join(invited, code, { username: 'once', headers });
        const again = await join(invited, code, { username: 'once', headers });
        expect([first.status, again.text]).to.equal([201, first.text]);
        expect(await usesLeft()).to.equal([1]);
    });

    it('limits tries of codes like sign-ins', async () => {
        const limited = await startTestServer({ config: { signUp: 'invite', rateLimit: true }, database: open.database });
        const { headers } = await join(limited, 'nonsense', { username: 'limited' });
        expect(headers['ratelimit-limit']).to.equal(String(limits.signUps.points));
        await limited.server.stop();
    });
});

describe('sign-up with the tokens of another provider', () => {
    let provider: TestProvider;
    let open: TestServer;
    let closed: TestServer;
    let invited: TestServer;
    let source: string;

    before(async () => {
        provider = await startProvider('jwt');
        const auth = provider.settings();
        open = await startTestServer({ config: { auth } });
        closed = await startTestServer({ config: { auth, signUp: 'closed' }, database: open.database });
        invited = await startTestServer({ config: { auth, signUp: 'invite', rateLimit: true }, database: open.database });
        const { user } = (await open.call('POST', '/users', undefined, { token: await tokenOf('grace') })).body;
        const { project } = (await open.call('POST', `/users/${user.id}/projects`, { title: 'Source' }, { token: await tokenOf('grace') })).body;
        source = `/users/${user.id}/projects/${project.id}/remixes`;
    });

    after(async () => {
        await closed.server.stop();
        await invited.server.stop();
        await open.stop();
        await provider.stop();
    });

    const tokenOf = (subject: string): Promise<string> => provider.token({ subject });

    const post = async (by: TestServer, subject: string, path: string, body?: object): Promise<[number, string]> => {
        return outcome(await by.call('POST', path, body, { token: await tokenOf(subject) }));
    };

    const firstWrites = (): [path: string, body: object][] => [
        [source, {}],
        ['/users/me/projects', { title: 'First' }],
        ['/users/me/bulk', { actions: [{ type: 'projects', method: 'create', data: { title: 'First' } }] }]
    ];

    it('opens no account while it is closed, neither by itself nor with a first write', async () => {
        expect(await post(closed, 'ben', '/users')).to.equal([403, 'sign_up_closed']);
        for (const [path, body] of firstWrites()) {
            expect(await post(closed, 'ben', path, body), path).to.equal([403, 'sign_up_closed']);
        }

        expect(await post(closed, 'grace', '/users')).to.equal([200, 'success']);
        expect(await post(closed, 'grace', source)).to.equal([201, 'remixed']);
    });

    it('needs a code by invitation, which a first write cannot give', async () => {
        const code = await invite(open);
        expect(await post(invited, 'ben', '/users')).to.equal([403, 'invitation_needed']);
        for (const [path, body] of firstWrites()) {
            expect(await post(invited, 'ben', path, body), path).to.equal([403, 'invitation_needed']);
        }

        expect(await post(invited, 'ben', '/users', { code: 'nonsense' })).to.equal([403, 'invitation_invalid']);
        expect(await post(invited, 'ben', '/users', { code })).to.equal([201, 'created']);
        expect(await post(invited, 'ben', '/users')).to.equal([200, 'success']);
        expect(await post(invited, 'eve', '/users', { code })).to.equal([403, 'invitation_invalid']);
        expect(await post(invited, 'ben', source)).to.equal([201, 'remixed']);
    });

    it('counts one use for one person, also if they come twice at the same time', async () => {
        const code = await invite(open, '--uses', '5');
        const token = await tokenOf('joan');
        const answers = await Promise.all(Array.from({ length: 4 }, () => invited.call('POST', '/users', { code }, { token })));
        expect(answers.map(({ status }) => status).sort()).to.equal([200, 200, 200, 201]);
        const { rows } = await open.database.db.raw(`select uses_left from sign_up_codes where hash = sha256('${code}')`);
        expect(rows).to.equal([{ uses_left: 4 }]);
    });

    it('limits tries of codes like sign-ins', async () => {
        const { headers } = await invited.call('POST', '/users', { code: 'nonsense' }, { token: await tokenOf('mallory') });
        expect(headers['ratelimit-limit']).to.equal(String(limits.signUps.points));
    });
});
