import { sign } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import pino from 'pino';

import { cloneDatabase } from '../../../support/database';
import type { TestDatabase } from '../../../support/database';
import { AUDIENCE, newKey, startProvider } from '../../../support/provider';
import type { SigningKey, TestProvider } from '../../../support/provider';
import { startTestServer } from '../../../support/server';

export const lab = script();
const { after, before, describe, it } = lab;

type Json = Readonly<Record<string, unknown>>;

const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function forge({ alg, kid, key }: SigningKey, payload: Json, header: Json = {}): string {
    const content = `${part({ alg, kid, typ: 'at+jwt', ...header })}.${part(payload)}`;
    return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;

interface Line {
    msg: string;
    request_id: string;
    status: number;
    token_refused?: string;
}

for (const kind of ['jwt', 'introspection'] as const) {
    describe(`the log, of a token that is refused with ${kind}`, () => {
        let provider: TestProvider;
        let database: TestDatabase;
        let ask: (token: string, settings?: Record<string, string>) => Promise<Line>;

        before(async () => {
            provider = await startProvider(kind);
            database = await cloneDatabase();
            ask = async (token, settings) => {
                const lines: string[] = [];
                const server = await startTestServer({ config: { auth: provider.settings(settings) }, database, logger: pino({ level: 'info' }, { write: (line) => void lines.push(line) }) });
                const { headers } = await server.call('POST', '/users', undefined, { token });
                await server.server.stop();
                expect(lines.join('')).to.not.contain(token);
                const told: Line[] = lines.map((line) => JSON.parse(line));
                const [line] = told.filter(({ msg }) => msg === 'response');
                expect(line?.request_id).to.equal(String(headers['x-request-id']));
                return line ?? { msg: '', request_id: '', status: 0 };
            };
        });

        after(async () => {
            await database.drop();
            await provider.stop();
        });

        it('says why, under the id of the request, and never the token', async () => {
            const token = await provider.token({ subject: 'ada' });
            const good = await ask(token);
            expect([good.status, good.token_refused]).to.equal([201, undefined]);
            expect(await ask('t\u00f6ken')).to.include({ status: 401, token_refused: 'it is malformed' });
            expect(await ask(token, { AUTH_AUDIENCE: 'others' })).to.include({ status: 401, token_refused: `its audience ("aud") is "${AUDIENCE}", and AUTH_AUDIENCE is "others"` });

            await database.db.raw('update users set deleted_at = now()');
            expect(await ask(token)).to.include({ status: 401, token_refused: 'its account was deleted' });
        });

        if (kind === 'introspection') {
            it('says that the provider does not confirm it', async () => {
                expect(await ask('unknown')).to.include({ status: 401, token_refused: 'the provider says that it is not active' });
            });

            return;
        }

        it('says what is wrong with its signature and its claims', async () => {
            const key = provider.key();
            const claims = { iss: provider.issuer, sub: 'ada', aud: AUDIENCE, scope: 'user', iat: seconds(-10), exp: seconds(60) };
            const mine = { ...newKey('RS256'), kid: key.kid };
            const cases: [string, string][] = [
                [forge(key, { ...claims, exp: seconds(-100) }), 'it has expired'],
                [forge(key, { ...claims, exp: undefined }), 'its "exp" is missing or invalid'],
                [forge(key, { ...claims, nbf: seconds(500) }), 'its "nbf" is missing or invalid'],
                [forge(key, { ...claims, iat: seconds(500) }), 'its "iat" is missing or invalid'],
                [forge(key, { ...claims, sub: undefined }), 'its "sub" is missing or invalid'],
                [forge(key, { ...claims, aud: undefined }), `its audience ("aud") is missing, and AUTH_AUDIENCE is "${AUDIENCE}"`],
                [forge(key, { ...claims, iss: 'https://x' }), `its issuer ("iss") is "https://x", and AUTH_ISSUER is "${provider.issuer}"`],
                [forge(key, { ...claims, cnf: { jkt: 'x' } }), 'it is bound to a key ("cnf"), which is not supported'],
                [forge(key, claims, { typ: 'logout+jwt' }), 'its type ("typ") is not that of an access token'],
                [forge(mine, claims), 'its signature is wrong'],
                [forge(key, claims, { kid: 'another' }), 'the provider publishes no key for it'],
                [forge(key, claims, { alg: 'HS256' }), 'its algorithm is not in AUTH_ALGORITHMS'],
                ['a.b', 'Invalid Compact JWS']
            ];
            for (const [token, reason] of cases) {
                expect(await ask(token), reason).to.include({ status: 401, token_refused: reason });
            }
        });
    });
}
