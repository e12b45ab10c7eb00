import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { parse } from 'dotenv';

import { ConfigError, readConfig, variables } from '../../src/config/index';

export const lab = Lab.script();
const { describe, it } = lab;

describe('readConfig()', () => {
    it('has a default for everything', () => {
        expect(readConfig({})).to.equal({
            host: '127.0.0.1', port: 3000, databaseUrl: null, databaseDirectUrl: null, databaseReplicaUrl: null, dataDir: '.data', databasePool: 10, databaseTimeout: 30_000, workers: 1, maxRequests: 500, maxStreams: 5000, shutdownDelay: 0, logLevel: 'info', metricsHost: '127.0.0.1', metricsPort: null, tracesUrl: null, apiVersion: '1',
            featuredTags: [], historyDays: 30, historyMaxBytes: 268_435_456, maxImportBytes: 104_857_600, trashDays: 30, assetsUrl: null, maxAssetBytes: 10_485_760, assetQuota: 524_288_000, publicUrl: null, tokenTtl: 2_592_000, listMaxAge: 1000, signUp: 'open', appRegistration: 'accounts', moderatorsNeed: 'sign_in', teachers: 'granted', holdAfter: null, rateLimit: true, trustedProxies: 0, thumbnails: true, webhooksTo: ['public'], scanUrl: null, filters: { words: null, lookDays: null }, mail: null, site: { name: 'Pagewright', rules: '', welcome: '', logo: null, color: null, imprint: null, privacy: null, securityContact: null }, auth: { provider: 'local' }, signIn: { providers: [], leeway: 30, timeout: 3000 }
        });
        expect(Object.isFrozen(readConfig({}))).to.be.true();
    });

    it('reads every variable', () => {
        expect(readConfig({
            HOST: '0.0.0.0', PORT: '0', DATABASE_URL: 'postgres://me:secret@db:5433/pages', DATABASE_DIRECT_URL: 'postgres://me:secret@db/pages', DATABASE_REPLICA_URL: 'postgres://me:secret@replica/pages', DATA_DIR: '/var/lib/pagewright', DATABASE_POOL: '40', DATABASE_TIMEOUT: '5000', WEB_CONCURRENCY: '4', MAX_REQUESTS: '50', MAX_STREAMS: '20', SHUTDOWN_DELAY: '5000',
            LOG_LEVEL: 'warn', METRICS_HOST: '::1', METRICS_PORT: '9464', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', API_VERSION: '2.1', FEATURED_TAGS: 'Comics, рецепты ,e\u0301t\u00e9', TOKEN_TTL: '60', LIST_MAX_AGE: '0', SIGN_UP: 'invite', APP_REGISTRATION: 'open',
            HISTORY_DAYS: '60', HISTORY_MAX_MIB: '1', MAX_IMPORT_MIB: '2', TRASH_DAYS: '3', ASSETS_URL: 's3://bucket/some?region=eu-central-1', MAX_ASSET_MIB: '4', ASSET_QUOTA_MIB: '5', PUBLIC_URL: 'https://pages.example/', TEACHERS: 'open', HOLD_AFTER: '3', RATE_LIMIT: 'off', TRUSTED_PROXIES: '2',
            BLOCKED_WORDS: 'words.txt', SCAN_URL: 'https://scan.example/in?key=s3cret', LOOK_FIRST: 'new', LOOK_DAYS: '3', THUMBNAILS: 'off', WEBHOOKS_TO: 'public, 10.0.0.0/8,fd00::/8', SMTP_URL: 'smtp://me%40pages:s%2Fcret@mail.example:2525', MAIL_FROM: 'Our pages <pages@pages.example>', SITE: 'on', SITE_NAME: 'Class 4b', SITE_RULES: 'Be kind.\nAsk first.', SITE_WELCOME: 'Our stories.', SITE_LOGO: 'art/logo.svg', SITE_COLOR: '#0B6e4f', SITE_IMPRINT: 'imprint.md', SITE_PRIVACY: '/etc/pagewright/privacy.md', SITE_SECURITY_CONTACT: 'mailto:security@pages.example',
            PATH: 'what is not ours is let be'
        })).to.equal({
            host: '0.0.0.0', port: 0, databaseUrl: 'postgres://me:secret@db:5433/pages', databaseDirectUrl: 'postgres://me:secret@db/pages', databaseReplicaUrl: 'postgres://me:secret@replica/pages', dataDir: '/var/lib/pagewright', databasePool: 40, databaseTimeout: 5000, workers: 4, maxRequests: 50, maxStreams: 20, shutdownDelay: 5000,
            logLevel: 'warn', metricsHost: '::1', metricsPort: 9464, tracesUrl: 'http://127.0.0.1:4318', apiVersion: '2.1', featuredTags: ['comics', 'рецепты', '\u00e9t\u00e9'], historyDays: 60, historyMaxBytes: 1_048_576, maxImportBytes: 2_097_152, trashDays: 3, assetsUrl: 's3://bucket/some?region=eu-central-1', maxAssetBytes: 4_194_304, assetQuota: 5_242_880, publicUrl: 'https://pages.example', tokenTtl: 60, listMaxAge: 0, signUp: 'invite', appRegistration: 'open', moderatorsNeed: 'sign_in', teachers: 'open', holdAfter: 3, rateLimit: false, trustedProxies: 2, thumbnails: false, webhooksTo: ['public', '10.0.0.0/8', 'fd00::/8'], scanUrl: 'https://scan.example/in?key=s3cret', filters: { words: 'words.txt', lookDays: 3 },
            mail: { server: { host: 'mail.example', port: 2525, isEncrypted: false, requireTls: true, auth: { user: 'me@pages', pass: 's/cret' } }, from: { name: 'Our pages', address: 'pages@pages.example' }, origin: 'https://pages.example', site: 'Class 4b' }, site: { name: 'Class 4b', rules: 'Be kind.\nAsk first.', welcome: 'Our stories.', logo: 'art/logo.svg', color: '#0b6e4f', imprint: 'imprint.md', privacy: '/etc/pagewright/privacy.md', securityContact: 'mailto:security@pages.example' }, auth: { provider: 'local' }, signIn: { providers: [], leeway: 30, timeout: 3000 }
        });
    });

    it('reads the address that clients use, without a slash at the end', () => {
        expect(readConfig({ PUBLIC_URL: 'http://pages.example' }).publicUrl).to.equal('http://pages.example');
        for (const wrong of ['https://pages.example/under', 'https://pages.example/?a=1', 'https://pages.example#a', 'https://me:secret@pages.example']) {
            expect(() => readConfig({ PUBLIC_URL: wrong })).to.throw(ConfigError, /PUBLIC_URL must have nothing after the host and the port, such as https:\/\/pages\.example: the service needs a host name of its own \(it is not shown\)/);
        }

        expect(() => readConfig({ PUBLIC_URL: 'pages.example', ASSETS_URL: 'https://bucket' })).to.throw(ConfigError, /ASSETS_URL.*[^]*PUBLIC_URL/);
    });

    it('reads who may open an account', () => {
        expect(readConfig({ SIGN_UP: 'closed' }).signUp).to.equal('closed');
        expect(() => readConfig({ SIGN_UP: 'nobody' })).to.throw(ConfigError, /SIGN_UP must be one of/);
    });

    it('reads where webhooks may be sent to', () => {
        expect(readConfig({ WEBHOOKS_TO: '127.0.0.0/8' }).webhooksTo).to.equal(['127.0.0.0/8']);
        for (const wrong of ['everywhere', '10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'public,', 'localhost/8']) {
            expect(() => readConfig({ WEBHOOKS_TO: wrong })).to.throw(ConfigError, /WEBHOOKS_TO must be "public", networks such as 10\.0\.0\.0\/8, or both/);
        }
    });

    it('reads where new pictures are scanned, and does not show it', () => {
        expect(readConfig({ SCAN_URL: 'http://127.0.0.1:9000' }).scanUrl).to.equal('http://127.0.0.1:9000');
        for (const wrong of ['scanner', 'ftp://scan.example/', 'https://me:s3cret@scan.example/', 'https://scan.example/#s3cret', 'http://scan.example:99999/', 'http://s3cret scan.example/']) {
            const failed = expect(() => readConfig({ SCAN_URL: wrong })).to.throw(ConfigError, /SCAN_URL must be the URL of a scanner, without a name and password, such as http:\/\/127\.0\.0\.1:9000\/scan \(it is not shown\)/);
            expect(failed.message).not.to.include('s3cret');
        }
    });

    it('reads the server that takes mails, which has to be encrypted unless the URL says otherwise', () => {
        const needed = { PUBLIC_URL: 'https://pages.example', MAIL_FROM: 'pages@pages.example' };
        const server = (SMTP_URL: string): unknown => readConfig({ ...needed, SMTP_URL }).mail?.server;
        const usual = { host: 'mail.example', port: 587, isEncrypted: false, requireTls: true, auth: null };
        expect(server('smtp://mail.example')).to.equal(usual);
        expect(server('smtp://mail.example/?requireTLS=true')).to.equal(usual);
        expect(server('smtp://localhost:25?requireTLS=false')).to.equal({ ...usual, host: 'localhost', port: 25, requireTls: false });
        expect(server('smtps://mail.example')).to.equal({ ...usual, port: 465, isEncrypted: true });
        expect(server('smtps://mail.example?requireTLS=false')).to.equal({ ...usual, port: 465, isEncrypted: true });
        expect(server('smtps://a:b@[2001:db8::1]:1025')).to.equal({
            host: '2001:db8::1', port: 1025, isEncrypted: true, requireTls: true, auth: { user: 'a', pass: 'b' }
        });
        for (const wrong of [
            'mail.example', 'smtp:mail.example', 'https://mail.example', 'smtp://', 'smtp://mail.example/path', 'smtp://mail.example#a', 'smtp://mail.example?requireTLS=no', 'smtp://mail.example?tls.rejectUnauthorized=false', 'smtp://me@mail.example',
            'smtp://:secret@mail.example', 'smtp://%zz:secret@mail.example', 'smtp://secret:%zz@mail.example', 'smtp://ma%0ail.example', `smtp://${'x'.repeat(1100)}.example`
        ]) {
            const { message } = expect(() => server(wrong), wrong).to.throw(ConfigError, /SMTP_URL/);
            expect(message).to.not.include('secret');
        }

        expect(readConfig({ ...needed, SMTP_URL: 'smtp://mail.example', SITE_NAME: 'Class 4b' }).mail?.from).to.equal({
            name: 'Class 4b', address: 'pages@pages.example'
        });
        for (const wrong of ['pages', 'a@b', 'Pages <pages>', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example', '"P" <a@b.example> <c@d.example>', `a@${'b'.repeat(250)}.example`]) {
            expect(() => readConfig({ ...needed, SMTP_URL: 'smtp://mail.example', MAIL_FROM: wrong }), wrong).to.throw(ConfigError, /MAIL_FROM must be a mail address/);
        }

        const faultsOf = (given: Record<string, string>): readonly string[] => {
            return expect(() => readConfig({ SMTP_URL: 'smtp://mail.example', ...given })).to.throw(ConfigError).faults;
        };

        expect(faultsOf({ PUBLIC_URL: needed.PUBLIC_URL })).to.equal([
            'MAIL_FROM is needed with SMTP_URL: the address that mails are from, such as Our pages <pages@pages.example>'
        ]);
        const why = 'SMTP_URL needs PUBLIC_URL, since mails have links to this service, and SITE=on with AUTH_PROVIDER=local (it is not shown)';
        expect(faultsOf({ MAIL_FROM: needed.MAIL_FROM })).to.equal([why]);
        expect(faultsOf({ ...needed, SITE: 'off' })).to.equal([why]);
        expect(faultsOf({ ...needed, AUTH_PROVIDER: 'jwt', ...provider })).to.equal([why]);
        expect(readConfig({ MAIL_FROM: needed.MAIL_FROM }).mail).to.be.null();
    });

    it('reads whether there are pages to look at', () => {
        expect(readConfig({ SITE: 'off' }).site).to.be.null();
        const elsewhere = { AUTH_PROVIDER: 'jwt', ...provider, AUTH_SITE_CLIENT_ID: 'site' };
        expect(readConfig(elsewhere).signIn.providers.map(({ clientId }) => clientId)).to.equal(['site']);
        expect(readConfig({ ...elsewhere, SITE: 'off' }).signIn.providers).to.equal([]);
        expect(() => readConfig({
            SITE: 'yes', SITE_NAME: 'x'.repeat(61), SITE_RULES: 'x'.repeat(10_001), SITE_WELCOME: 'x'.repeat(1001), SITE_COLOR: 'red'
        }))
            .to.throw(ConfigError, /SITE must be one of[^]*SITE_NAME length[^]*SITE_RULES length[^]*SITE_WELCOME length[^]*SITE_COLOR .*a colour such as 0b6e4f/);
        expect(readConfig({ SITE_COLOR: '0b6e4f' }).site).to.include({ color: '#0b6e4f' });
    });

    it('accepts a replica only with DATABASE_URL, and a LIST_MAX_AGE that leaves time to lag', () => {
        const replica = { DATABASE_REPLICA_URL: 'postgres://replica/pages' };
        const url = { DATABASE_URL: 'postgres://db/pages' };
        const faultsOf = (given: Record<string, string>): readonly string[] => expect(() => readConfig(given)).to.throw(ConfigError).faults;
        expect(faultsOf({ DATABASE_DIRECT_URL: 'postgres://db/pages' })).to.equal([
            'DATABASE_DIRECT_URL needs DATABASE_URL, whose database it leads to (it is not shown)'
        ]);
        expect(faultsOf(replica)).to.equal(['DATABASE_REPLICA_URL needs DATABASE_URL, of which it is a replica (it is not shown)']);
        expect(faultsOf({ ...replica, ...url, LIST_MAX_AGE: '2001' })).to.equal([
            'LIST_MAX_AGE must be less than or equal to 2000 (it is 2001)'
        ]);
        expect(readConfig({ ...replica, ...url, LIST_MAX_AGE: '2000' }).listMaxAge).to.equal(2000);
        expect(readConfig({ ...url, LIST_MAX_AGE: '4000' }).listMaxAge).to.equal(4000);
        expect(readConfig({ ...replica, ...url }).listMaxAge).to.equal(1000);
    });

    const provider = { AUTH_ISSUER: 'https://id.example/realms/pages', AUTH_AUDIENCE: 'pages' };
    const client = { AUTH_INTROSPECTION_URL: 'https://id.example/introspect', AUTH_CLIENT_ID: 'me', AUTH_CLIENT_SECRET: 'secret' };
    const usual = {
        issuer: provider.AUTH_ISSUER, audience: 'pages', scopes: { user: 'user', projects: 'projects' }, leeway: 30, timeout: 3000
    };

    it('reads where tokens come from', () => {
        const jwt = { AUTH_PROVIDER: 'jwt', ...provider };
        expect(readConfig(jwt).auth).to.equal({ provider: 'jwt', ...usual, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'] });
        expect(readConfig({ ...jwt, AUTH_ALGORITHMS: 'ES512, Ed25519', AUTH_SCOPE_USER: 'pages:me', AUTH_SCOPE_PROJECTS: 'https://pages/write', AUTH_LEEWAY: '0', AUTH_TIMEOUT: '500' }).auth).to.equal({
            provider: 'jwt', ...usual, scopes: { user: 'pages:me', projects: 'https://pages/write' }, leeway: 0, timeout: 500, algorithms: [
                'ES512', 'Ed25519'
            ]
        });

        const introspection = { AUTH_PROVIDER: 'introspection', ...provider, ...client };
        const expected = { provider: 'introspection' as const, ...usual, url: 'https://id.example/introspect', clientId: 'me', clientSecret: 'secret', cacheTtl: 10 };
        expect(readConfig(introspection).auth).to.equal(expected);
        expect(readConfig({ ...introspection, AUTH_CACHE_TTL: '0' }).auth).to.equal({ ...expected, cacheTtl: 0 });
        expect(Object.isFrozen(readConfig(introspection).auth)).to.be.true();
    });

    it('reports which settings a provider needs', () => {
        const needed = (given: Record<string, string>): string[] => {
            return expect(() => readConfig(given)).to.throw(ConfigError).faults.map((fault: string) => fault.replace(/ .*/, ''));
        };

        expect(needed({ AUTH_PROVIDER: 'jwt' })).to.equal(['AUTH_ISSUER', 'AUTH_AUDIENCE']);
        expect(needed({ AUTH_PROVIDER: 'introspection' })).to.equal([
            'AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_INTROSPECTION_URL', 'AUTH_CLIENT_ID', 'AUTH_CLIENT_SECRET'
        ]);
        expect(needed({ AUTH_PROVIDER: 'oauth' })).to.equal(['AUTH_PROVIDER']);
        const { message } = expect(() => readConfig({ AUTH_PROVIDER: 'introspection', ...provider, AUTH_CLIENT_ID: 'me', AUTH_CLIENT_SECRET: 'secret' })).to.throw(ConfigError);
        expect(message).to.endWith('AUTH_INTROSPECTION_URL is needed with AUTH_PROVIDER=introspection. .env.example says what it is');
    });

    it('accepts only provider URLs that nobody can listen to', () => {
        for (const issuer of ['https://id.example', 'https://id.example:8443/a/b/', 'http://localhost:8080/realms/x', 'http://127.0.0.1:1', 'http://127.1.2.3', 'http://127.255.20.1', 'http://[::1]:8080']) {
            expect(readConfig({ AUTH_PROVIDER: 'jwt', ...provider, AUTH_ISSUER: issuer }).auth).to.include({ issuer });
        }

        const refused = [
            'http://id.example', 'id.example', 'ftp://id.example', 'file:///etc/passwd', 'https://', 'https://me:secret@id.example', 'https://me@id.example', 'https://id.example?a=b', 'https://id.example#a',
            'https://id.example /', 'http://localhost.example', 'http://notlocalhost', 'ftp://localhost', 'ws://127.0.0.1', 'http://127.0.0.1.example', 'http://a.127.0.0.1.example', 'http://10.0.0.1', `https://id.example/${'x'.repeat(512)}`
        ];
        for (const issuer of refused) {
            expect(() => readConfig({ AUTH_PROVIDER: 'jwt', ...provider, AUTH_ISSUER: issuer }), issuer).to.throw(ConfigError, /AUTH_ISSUER/);
        }
    });

    it('accepts names of scopes as in RFC 6749', () => {
        for (const name of ['x'.repeat(100), '!', '#[]~']) {
            expect(readConfig({ AUTH_PROVIDER: 'jwt', ...provider, AUTH_SCOPE_USER: name }).auth).to.include({
                scopes: { user: name, projects: 'projects' }
            });
        }

        for (const name of ['x'.repeat(101), 'a"', '"a', 'a\\', 'a b', '\u00e9', '\u007f']) {
            expect(() => readConfig({ AUTH_PROVIDER: 'jwt', ...provider, AUTH_SCOPE_USER: name }), name).to.throw(ConfigError, /AUTH_SCOPE_USER .* one scope without blanks/);
        }
    });

    it('accepts only signature algorithms with private keys', () => {
        for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']) {
            expect(readConfig({ AUTH_PROVIDER: 'jwt', ...provider, AUTH_ALGORITHMS: algorithm }).auth).to.include({
                algorithms: [algorithm]
            });
        }

        for (const algorithms of ['none', 'HS256', 'RS256,HS256', 'RS256,', 'rs256', 'RS256 ES256']) {
            expect(() => readConfig({ AUTH_ALGORITHMS: algorithms }), algorithms).to.throw(ConfigError, /AUTH_ALGORITHMS must list, with commas between them, some of RS256, /);
        }
    });

    it('treats an empty variable as not set', () => {
        expect(readConfig(Object.fromEntries(variables.map((name) => [name, ''])))).to.equal(readConfig({}));
    });

    it('reports all errors together, and never a possible password', () => {
        const wrong = {
            HOST: 'not a host', PORT: '70000', DATABASE_URL: 'mysql://me:secret@db/pages', DATABASE_POOL: '0', WEB_CONCURRENCY: '0', MAX_REQUESTS: '0', LOG_LEVEL: 'loud', METRICS_HOST: 'not a host', METRICS_PORT: '-1', API_VERSION: 'x'.repeat(33),
            FEATURED_TAGS: 'a,,b', TOKEN_TTL: '1.5', LIST_MAX_AGE: '5000', RATE_LIMIT: 'maybe', TRUSTED_PROXIES: 'two', AUTH_ISSUER: 'http://id.example', AUTH_AUDIENCE: 'x'.repeat(513), AUTH_SCOPE_USER: 'two words',
            AUTH_SCOPE_PROJECTS: '"', AUTH_LEEWAY: '-1', AUTH_TIMEOUT: '99', AUTH_ALGORITHMS: 'none', AUTH_INTROSPECTION_URL: 'https://me:secret@id.example', AUTH_CLIENT_ID: '',
            AUTH_CLIENT_SECRET: '', AUTH_CACHE_TTL: '301'
        };
        const error = expect(() => readConfig({ AUTH_PROVIDER: 'introspection', ...wrong })).to.throw(ConfigError);
        expect(error.faults.length, error.message).to.equal(Object.keys(wrong).length);
        Object.keys(wrong).forEach((name, index) => expect(error.faults[index] ?? '').to.startWith(name));
        expect(error.message).to.startWith('The configuration has 26 error(s):\n  - HOST');
        expect(error.message).to.contain('PORT must be less than or equal to 65535 (it is 70000)').and.contain('"maybe"');
        // In plain words, without regular expressions.
        expect(error.message).to.contain('AUTH_SCOPE_USER must be one scope without blanks (it is "two words")').and.to.contain('DATABASE_URL must be a URL such as postgres://');
        expect(error.message).to.not.contain(['secret', 'pattern', '^']);
    });
});

describe('.env.example', () => {
    const text = readFileSync(join(__dirname, '../../.env.example'), 'utf8');
    const listed = parse(text);

    it('lists each variable, with its default', () => {
        expect(Object.keys(listed).sort()).to.equal([...variables].sort());
        expect(readConfig(listed)).to.equal(readConfig({}));
        const unset = Object.keys(listed).filter((name) => listed[name] === '');
        expect(unset).to.equal(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL', 'METRICS_PORT', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'FEATURED_TAGS', 'PUBLIC_URL', 'ASSETS_URL', 'SIGN_IN_WITH', 'HOLD_AFTER', 'BLOCKED_WORDS', 'SCAN_URL', 'SMTP_URL', 'MAIL_FROM', 'SITE_LOGO', 'SITE_COLOR', 'SITE_WELCOME', 'SITE_RULES', 'SITE_IMPRINT', 'SITE_PRIVACY', 'SITE_SECURITY_CONTACT', 'AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_INTROSPECTION_URL', 'AUTH_CLIENT_ID', 'AUTH_CLIENT_SECRET', 'AUTH_SITE_CLIENT_ID', 'AUTH_SITE_PARAMETERS']);
    });

    it('has a comment above each', () => {
        const blocks = text.trim().split('\n\n').slice(1);
        expect(blocks.every((block) => /^# [A-Z"]/.test(block))).to.be.true();
    });
});
