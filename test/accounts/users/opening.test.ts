import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { limits } from '../../../src/api/protection/rate-limits';
import { startProvider } from '../../support/provider';
import type { TestProvider } from '../../support/provider';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();

lab.experiment('An account of another provider\'s user', () => {

    let provider: TestProvider;
    let server: TestServer;

    lab.before(async () => {
        provider = await startProvider('jwt');
        server = await startTestServer({ config: { auth: provider.settings() } });
    });

    lab.after(async () => {
        await server.stop();
        await provider.stop();
    });

    const open = async (subject: string, extra: Record<string, unknown>): Promise<Answer> => server.call('POST', '/users', undefined, { token: await provider.token({ subject, extra }) });
    /** Six digits of the hash of issuer and subject, and the next six. */
    const digits = (subject: string): string[] => createHash('sha256').update(JSON.stringify([provider.issuer, subject])).digest('hex').match(/.{6}/g) ?? [];

    const names: [preferred: unknown, expected: string][] = [
        ['Ada_L-1', 'Ada_L-1'], ['grace.hopper', 'grace-hopper'], ['joan@example.org', 'joan'], ['Zoë Çelik', 'Zoë-Çelik'], ['ＦＵＬＬ', 'FULL'], ['李小龙', '李小龙'], ['Арина Петрова@example.org', 'Арина-Петрова'], ['Zoe\u0308', 'Zoë'], ['Ana Иванова', 'Ana'], ['علی\u200cرضا', 'علی-رضا'], ['ẛ\u0323'.repeat(20), 'ṩ'.repeat(20)], ['--x--', 'x'],
        ['a'.repeat(30), 'a'.repeat(20)], ['b'.repeat(100_000), 'b'.repeat(20)], ['o\'Neil  (Ms)', 'o-Neil-Ms']
    ];
    for (const [preferred, expected] of names) {
        lab.test(`is named ${expected} after ${String(preferred).slice(0, 40)}`, async () => {
            expect((await open(encodeURIComponent(expected), { preferred_username: preferred })).body.user.username).to.equal(expected);
        });
    }

    for (const preferred of [undefined, '', '   ', '小Арина', '김ア', '@example.org', 5, null, ['ada'], '\u0000']) {
        lab.test(`is user and six digits after ${JSON.stringify(preferred)}`, async () => {
            const subject = `nameless ${encodeURIComponent(String(JSON.stringify(preferred)))}`;
            expect((await open(subject, { preferred_username: preferred })).body.user.username).to.equal(`user-${digits(subject)[0]}`);
        });
    }

    lab.test('gets digits if the name is taken, in any case, and other digits if those are taken too', async () => {
        const name = 'Distinguished-Person';
        const [first, second] = digits('third');
        await open('first', { preferred_username: name.toLowerCase() });
        await server.database.db.raw('insert into users (username) values (?)', [`distinguishe-${first}`.toUpperCase()]);
        expect((await open('second', { preferred_username: name })).body.user.username).to.equal(`Distinguished-${digits('second')[0]}`);
        await server.database.db.raw('insert into users (username) values (?)', [`Distinguished-${first}`]);
        expect((await open('third', { preferred_username: name })).body.user.username).to.equal(`Distinguished-${second}`);
    });

    lab.test('is not opened if all of these are taken', async () => {
        await open('the first of them', { preferred_username: 'popular' });
        await server.database.db.raw('insert into users (username) select unnest(?::text[])', [digits('unlucky').map((six) => `popular-${six}`)]);
        const { status, body } = await open('unlucky', { preferred_username: 'popular' });
        expect({ status, code: body.code }).to.equal({ status: 409, code: 'username_taken' });
    });

    lab.test('is opened once for each of many users who want one name at once', async () => {
        const subjects = Array.from({ length: 12 }, (_one, n) => `fan ${n}`);
        const answers = await Promise.all(subjects.map((subject) => open(subject, { preferred_username: 'star' })));
        expect(answers.map(({ status }) => status)).to.equal(subjects.map(() => 201));
        const found = answers.map(({ body }, n) => [body.user.username, `star-${digits(subjects[n] ?? '')[0]}`]);
        expect(found.filter(([name]) => name === 'star').length).to.equal(1);
        expect(found.every(([name, other]) => name === 'star' || name === other)).to.be.true();
    });

    lab.test('is limited like writes', async () => {
        const limited = await startTestServer({ config: { auth: provider.settings(), rateLimit: true }, database: server.database });
        const { status, headers } = await limited.call('POST', '/users', undefined, { token: await provider.token({ subject: 'limited' }) });
        expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).to.equal([201, String(limits.writes.points), String(limits.writes.points - 1)]);
        await limited.server.stop();
    });

    for (const [locale, expected] of [['pt-BR', 'pt-BR'], ['en_US', 'en-US'], ['zh-Hans', 'zh-Hans'], ['mw1', 'mw1'], [undefined, 'en'], ['', 'en'], ['English please', 'en'], [['fr'], 'en'], ['x'.repeat(1000), 'en']] as const) {
        lab.test(`has the language ${expected} for the locale ${JSON.stringify(locale)?.slice(0, 20)}`, async () => {
            expect((await open(`locale ${JSON.stringify(locale)}`.slice(0, 200), { locale })).body.user.locale).to.equal({ language: expected });
        });
    }
});
