import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { later } from '../../../support/clock';
import { cloneDatabase } from '../../../support/database';
import type { TestDatabase } from '../../../support/database';
import { AUDIENCE, newKey, startProvider } from '../../../support/provider';
import type { SigningKey, TestProvider } from '../../../support/provider';
import { startTestServer } from '../../../support/server';
import type { TestServer } from '../../../support/server';

export const lab = script();

type Json = Readonly<Record<string, unknown>>;

const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token, signed with the key. */
function forge({ alg, kid, key }: SigningKey, payload: Json, header: Json = {}): string {
    const content = `${part({ alg, kid, typ: 'at+jwt', ...header })}.${part(payload)}`;
    const signature = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(content), alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key);
    return `${content}.${signature.toString('base64url')}`;
}

function withSecret(secret: string | Buffer, payload: Json, kid: string): string {
    const content = `${part({ alg: 'HS256', kid, typ: 'at+jwt' })}.${part(payload)}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

lab.experiment('Signed tokens', () => {

    let provider: TestProvider;
    let database: TestDatabase;
    let server: TestServer;
    let claims: Json;

    lab.before(async () => {
        provider = await startProvider('jwt');
        database = await cloneDatabase();
    });

    lab.beforeEach(async () => {
        provider.instead = undefined;
        server = await serve();
        claims = { iss: provider.issuer, sub: 'ada', aud: AUDIENCE, scope: 'user projects', iat: seconds(-10), exp: seconds(60) };
    });

    lab.afterEach(() => server.server.stop());

    lab.after(async () => {
        await database.drop();
        await provider.stop();
    });

    const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
    const serve = (more = {}, now = (): number => Date.now()): Promise<TestServer> => startTestServer({ config: { auth: provider.settings(more) }, database, now });

    async function statusOf(token: string, by: TestServer = server): Promise<number> {
        const { status } = await by.call('POST', '/users', undefined, { token });
        return status === 201 ? 200 : status;
    }

    lab.test('are accepted in the form of RFC 9068, and as many providers send them', async () => {
        const key = provider.key();
        expect(await statusOf(await provider.token({ subject: 'ada' }))).to.equal(200);
        const good = [
            forge(key, claims), forge(key, { ...claims, aud: ['https://other.example', AUDIENCE] }), forge(key, { ...claims, nbf: seconds(0), jti: 'x', client_id: 'editor' }),
            forge(key, claims, { kid: undefined }), ...['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', undefined].map((typ) => forge(key, claims, { typ }))
        ];
        for (const token of good) {
            expect(await statusOf(token), token).to.equal(200);
        }

        expect(server.faults).to.equal([]);
    });

    lab.test('are rejected if anything is wrong with them', async () => {
        const key = provider.key();
        const [header, payload, signature] = forge(key, claims).split('.');
        const mine = { ...newKey('RS256'), kid: key.kid };
        const { d: _secret, ...jwk } = mine.jwk;
        const publicKey = createPublicKey(key.key);
        const bad: Record<string, string> = {
            'alg none': `${part({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
            'alg None': `${part({ alg: 'None', typ: 'at+jwt' })}.${payload}.${signature}`,
            'alg none, by a key of the provider\'s': `${part({ alg: 'none', kid: key.kid })}.${payload}.`,
            'the public key as a secret, as PEM': withSecret(publicKey.export({ type: 'spki', format: 'pem' }), claims, key.kid),
            'the public key as a secret, as DER': withSecret(publicKey.export({ type: 'spki', format: 'der' }), claims, key.kid),
            'another algorithm of the same key': `${part({ alg: 'RS512', kid: key.kid })}.${payload}.${sign('sha512', Buffer.from(`${part({ alg: 'RS512', kid: key.kid })}.${payload}`), key.key).toString('base64url')}`,
            'an algorithm that no key is for': forge(newKey('ES256'), claims, { kid: key.kid }),
            'somebody else\'s key': forge(mine, claims),
            'a key that it brings along': forge(mine, claims, { jwk }),
            'a key that it says where to find': forge(mine, claims, { jku: `${provider.issuer}/elsewhere`, x5u: `${provider.issuer}/elsewhere` }),
            'an unknown key': forge(mine, claims, { kid: randomUUID() }),
            'an invalid key id': forge(key, claims, { kid: 5 }),
            'a header to be understood': forge(key, claims, { crit: ['exp'], exp: 1 }),
            'unencoded content': forge(key, claims, { b64: false, crit: ['b64'] }),
            ...Object.fromEntries(['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'application/jwt+x', 'japplication/wt', ''].map((typ) => [`the type "${typ}"`, forge(key, claims, { typ })])),
            'another payload': `${header}.${part({ ...claims, sub: 'eve' })}.${signature}`,
            'no signature': `${header}.${payload}.`,
            'two parts': `${header}.${payload}`,
            'four parts': `${header}.${payload}.${signature}.${signature}`,
            'five parts': `${header}.${payload}.${signature}.${signature}.${signature}`,
            'no header': `.${payload}.${signature}`,
            'a header that is no JSON': `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
            'a payload that is no object': forge(key, Object([1])),
            'no issuer': forge(key, { ...claims, iss: undefined }),
            'another issuer': forge(key, { ...claims, iss: `${provider.issuer}/` }),
            'two issuers': forge(key, { ...claims, iss: [provider.issuer, 'https://other.example'] }),
            'no audience': forge(key, { ...claims, aud: undefined }),
            'another audience': forge(key, { ...claims, aud: `${AUDIENCE}/` }),
            'no audience at all': forge(key, { ...claims, aud: [] }),
            'no subject': forge(key, { ...claims, sub: undefined }),
            'an empty subject': forge(key, { ...claims, sub: '' }),
            'a subject that is a number': forge(key, { ...claims, sub: 5 }),
            'a subject that cannot be stored': forge(key, { ...claims, sub: 'a\u0000' }),
            'no end': forge(key, { ...claims, exp: undefined }),
            'an end that is text': forge(key, { ...claims, exp: String(seconds(60)) }),
            'a beginning that is text': forge(key, { ...claims, nbf: '0' }),
            'a time of issue that is text': forge(key, { ...claims, iat: '0' }),
            'proof of another key': forge(key, { ...claims, cnf: { jkt: 'x' } })
        };
        for (const [what, token] of Object.entries(bad)) {
            expect(await statusOf(token), what).to.equal(401);
        }

        expect(provider.asked).to.not.include('/elsewhere');
        expect(server.faults).to.equal([]);
    });

    lab.test('are rejected if any character is changed, and never with an internal error', async () => {
        const token = forge(provider.key(), claims);
        const letters = 'Aq7_-./=+~';
        for (let i = 0; i < 300; ++i) {
            const at = Math.floor(i / 300 * token.length);
            const changed = token.slice(0, at) + letters[i % letters.length] + token.slice(at + 1);
            // The last character of a signature has unused bits.
            if (changed !== token && at < token.length - 1) {
                expect(await statusOf(changed), changed).to.equal(401);
            }
        }

        expect(server.faults).to.equal([]);
    });

    lab.test('may come from clocks that differ slightly', async () => {
        const key = provider.key();
        // Clocks that stand still, because this machine may be busy for longer than the differences.
        const at = Date.now();
        const second = (from: number): number => Math.floor(at / 1000) + from;
        const now = { ...claims, iat: second(-10), exp: second(60) };
        const usually = await serve({}, () => at);
        const strict = await serve({ AUTH_LEEWAY: '0' }, () => at);
        const slow = await serve({}, () => at - 50_000);
        const fast = await serve({}, () => at + 85_000);
        const cases = [
            [{ exp: second(-25) }, 200, 401], [{ exp: second(-32) }, 401, 401],
            [{ nbf: second(25) }, 200, 401], [{ nbf: second(35) }, 401, 401],
            [{ iat: second(25) }, 200, 401], [{ iat: second(35) }, 401, 401]
        ] as const;
        for (const [times, usual, exact] of cases) {
            const token = forge(key, { ...now, ...times });
            expect([await statusOf(token, usually), await statusOf(token, strict)], JSON.stringify(times)).to.equal([usual, exact]);
        }

        // A token of one minute, by a clock that is 50 seconds slow, and by one that is nearly 90 seconds fast.
        const token = forge(key, { ...now, iat: second(0) });
        expect([await statusOf(token, slow), await statusOf(forge(key, { ...now, iat: second(-30) }), slow)]).to.equal([401, 200]);
        expect([await statusOf(token, fast), await statusOf(forge(key, { ...now, exp: second(50) }), fast)]).to.equal([200, 401]);
        await Promise.all([usually, strict, slow, fast].map((one) => one.server.stop()));
    });

    lab.test('are checked with new keys when the provider rotates them', async () => {
        const life = { subject: 'ada', expiresIn: 3600 };
        const first = await provider.token(life);
        expect(await statusOf(first)).to.equal(200);
        const asked = provider.asked.length;

        for (const alg of ['ES256', 'EdDSA', 'RS256'] as const) {
            provider.rotate({ keepOld: true, alg });
            expect(await statusOf(await provider.token(life)), 'just asked').to.equal(401);
            await later(11_000 * (1 + provider.asked.length - asked), async () => {
                expect(await statusOf(await provider.token(life)), alg).to.equal(200);
                expect(await statusOf(first)).to.equal(200);
            });
        }

        expect(provider.asked.length - asked).to.equal(6);

        // A withdrawn key works until the keys are fetched again, at most ten minutes later.
        const last = await provider.token(life);
        provider.rotate();
        await later(6 * 60_000, async () => expect(await statusOf(last)).to.equal(200));
        await later(12 * 60_000, async () => {
            expect(await statusOf(last)).to.equal(401);
            expect(await statusOf(await provider.token(life))).to.equal(200);
        });
    });

    lab.test('with unknown keys do not make us ask the provider again and again', async () => {
        const asked = provider.asked.length;
        for (let i = 0; i < 50; ++i) {
            expect(await statusOf(forge(provider.key(), claims, { kid: randomUUID() }))).to.equal(401);
        }

        expect(provider.asked.length - asked).to.equal(2);
        await later(11_000, async () => {
            await Promise.all(Array.from({ length: 50 }, () => statusOf(forge(provider.key(), claims, { kid: randomUUID() }))));
        });
        expect(provider.asked.length - asked).to.equal(4);
        expect(await statusOf(forge(provider.key(), claims))).to.equal(200);
    });

    lab.test('are checked while the provider is down, as long as its keys are known', async () => {
        const token = await provider.token({ subject: 'ada', expiresIn: 3600 });
        expect(await statusOf(token)).to.equal(200);
        provider.instead = (_request, response) => void response.writeHead(503).end();
        await later(9 * 60_000, async () => expect(await statusOf(token)).to.equal(200));
        await later(11 * 60_000, async () => expect(await statusOf(token)).to.equal(503));
    });

    lab.test('without a key id need a key set in which only one key fits', async () => {
        provider.rotate({ keepOld: true });
        expect(await statusOf(forge(provider.key(), claims))).to.equal(200);
        expect(await statusOf(forge(provider.key(), claims, { kid: undefined }))).to.equal(401);
        provider.rotate();
    });

    lab.test('may be of an issuer whose URL has a path, with or without a slash at its end', async () => {
        for (const path of ['/realms/pages', '/realms/pages/']) {
            const issuer = provider.issuer + path;
            const tenant = await serve({ AUTH_ISSUER: issuer });
            provider.instead = metadata({ issuer, jwks_uri: `${provider.issuer}/jwks` }, '/realms/pages/.well-known/openid-configuration');
            expect(await statusOf(forge(provider.key(), { ...claims, iss: issuer }), tenant)).to.equal(200);
            expect(await statusOf(forge(provider.key(), claims), tenant)).to.equal(401);
            await tenant.server.stop();
        }
    });

    const weak = { ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
    const misled: Record<string, [metadata: (issuer: string) => Json, keys: Json | undefined, log: string]> = {
        'metadata of another issuer': [() => ({ issuer: 'https://other.example', jwks_uri: 'https://other.example/jwks' }), undefined, 'AUTH_ISSUER'],
        'metadata without a key set': [(issuer) => ({ issuer }), undefined, 'https:// address'],
        'a key set at another machine, in the open': [(issuer) => ({ issuer, jwks_uri: 'http://169.254.169.254/jwks' }), undefined, '169.254.169.254'],
        'a key set at another port of this machine': [(issuer) => ({ issuer, jwks_uri: 'http://127.0.0.1:1/jwks' }), undefined, 'https:// address'],
        'a key set that nobody has': [(issuer) => ({ issuer, jwks_uri: 'https://127.0.0.1:1/jwks' }), undefined, 'fetch failed'],
        'a key set in a file': [(issuer) => ({ issuer, jwks_uri: 'file:///etc/passwd' }), undefined, 'https:// address'],
        'an invalid key set': [(issuer) => ({ issuer, jwks_uri: `${issuer}/keys` }), { keys: [5] }, 'JSON Web Key Set'],
        'a key set with an invalid key': [(issuer) => ({ issuer, jwks_uri: `${issuer}/keys` }), { keys: [newKey('ES256').jwk, null] }, 'JSON Web Key Set'],
        'a key set without keys': [(issuer) => ({ issuer, jwks_uri: `${issuer}/keys` }), {}, 'JSON Web Key Set'],
        'a key that is too weak': [(issuer) => ({ issuer, jwks_uri: `${issuer}/keys` }), { keys: [weak] }, '2048']
    };
    for (const [what, [document, keys, log]] of Object.entries(misled)) {
        lab.test(`cannot be checked with ${what}: 503, and the log says why`, async () => {
            provider.instead = metadata(document(provider.issuer), '/.well-known/openid-configuration', keys);
            expect(await statusOf(forge(provider.key(), claims, { kid: undefined }))).to.equal(503);
            expect(server.faults.length).to.equal(1);
            expect(server.faults[0]).to.contain(log);
        });
    }

    function metadata(document: Json, path: string, keys?: Json): RequestListener {
        return (request, response) => {
            if (request.url === '/jwks') {
                provider.pass(request, response);
            }
            else {
                response.writeHead(request.url === path || request.url === '/keys' ? 200 : 404).end(JSON.stringify(request.url === path ? document : keys));
            }
        };
    }
});
