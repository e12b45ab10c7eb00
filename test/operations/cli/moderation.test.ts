import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the commands that moderate', () => {
    let test: TestServer;
    let host: FakeHost;
    let user: Author;
    let moderator: Author;

    before(async () => {
        test = await startTestServer();
        user = await openAuthor(test, 'Spammer');
        moderator = await openAuthor(test, 'Mia', { moderator: true });
    });

    after(() => test.stop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        return run(argv, host);
    };

    const write = (): Promise<Answer> => user.call('POST', '/users/me/projects', { title: 'Spam' });

    it('suspend a user, and take it back, as the log says', async () => {
        expect(await admin('suspend', 'SPAMMER', '--reason', 'Many links')).to.equal(0);
        expect(host.out).to.equal('Spammer is suspended.\n');
        expect((await write()).body.suspension).to.equal({ reason: 'Many links', until: null });
        expect(await admin('show', 'Spammer')).to.equal(0);
        expect(host.out).to.contain('suspended\twith no end: Many links\n');

        expect(await admin('suspend', 'Spammer', '--reason', 'Many links', '--for', '2d')).to.equal(0);
        const { until } = (await write()).body.suspension;
        expect(host.out).to.equal(`Spammer is suspended until ${until}.\n`);
        expect(Date.parse(until) - Date.now()).to.be.between(2 * 86_400_000 - 60_000, 2 * 86_400_000);
        expect(await admin('show', 'Spammer')).to.equal(0);
        expect(host.out).to.match(/suspended\tuntil \d{4}-\d\d-\d\d \d\d:\d\d: Many links\n/);

        expect(await admin('unsuspend', 'spammer')).to.equal(0);
        expect(host.out).to.equal('Spammer is no longer suspended.\n');
        expect((await write()).status).to.equal(201);
        expect(await admin('unsuspend', 'spammer')).to.equal(0);
        expect(host.out).to.equal('Spammer was not suspended.\n');
        const { body: { entries } } = await moderator.call('GET', '/moderation/log');
        expect(entries.map(({ moderator: by, act, target, reason }: Answer['body']) => [by, act, target.owner.username, reason])).to.equal([
            [null, 'unsuspend', 'Spammer', null], [null, 'suspend', 'Spammer', 'Many links'], [null, 'suspend', 'Spammer', 'Many links']]);
    });

    it('say what is wrong', async () => {
        const wrong: [number, string, ...string[]][] = [
            [3, 'There is no user "nobody", or the account was deleted.', 'suspend', 'nobody', '--reason', 'x'],
            [3, 'There is no user "nobody", or the account was deleted.', 'unsuspend', 'nobody'],
            [1, 'Mia is a moderator, who cannot be suspended. Take that permission away first.', 'suspend', 'mia', '--reason', 'x'],
            [2, '--reason is needed, with 1 to 1,000 characters: the user reads it.', 'suspend', 'spammer'],
            [2, '--reason is needed, with 1 to 1,000 characters: the user reads it.', 'suspend', 'spammer', '--reason', 'x'.repeat(1001)],
            [2, '--for must be a number', 'suspend', 'spammer', '--reason', 'x', '--for', 'ever'],
            [2, 'The username is missing.', 'unsuspend'],
            [2, 'Too many arguments: x', 'unsuspend', 'spammer', 'x']
        ];
        for (const [code, message, ...argv] of wrong) {
            expect(await admin(...argv), argv.join(' ')).to.equal(code);
            expect(host.err).to.contain(message);
        }

        expect((await write()).status).to.equal(201);
    });
});
