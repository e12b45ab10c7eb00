import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { count, openAuthor, TIME } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the commands for a place', () => {
    let test: TestServer;
    let host: FakeHost;
    let ada: Author;

    before(async () => {
        test = await startTestServer({ config: { listMaxAge: 0 } });
        ada = await openAuthor(test, 'ada');
    });

    after(() => test.stop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        return run(argv, host);
    };

    const table = (): string[][] => host.out.trimEnd().split('\n').map((line) => line.split('\t'));

    it('announce something, list it and end it', async () => {
        expect(await admin('announce', 'Down on Saturday', '--for', '2d', '--warning'), host.err).to.equal(0);
        const id = host.out.trim();
        const { body } = await test.call('GET', '/announcements');
        expect(body.announcements.map((one: object) => ({ ...one, until: undefined }))).to.equal([{ id, text: 'Down on Saturday', level: 'warning', until: undefined }]);
        expect(Date.parse(body.announcements[0].until) - Date.now()).to.be.between(2 * 86_400_000 - 60_000, 2 * 86_400_000);
        expect(await admin('announcements')).to.equal(0);
        expect(table()).to.equal([['id', 'level', 'until', 'by', 'text'], [id, 'warning', body.announcements[0].until, '-', 'Down on Saturday']]);
        expect(await admin('withdraw', id)).to.equal(0);
        expect(await admin('withdraw', id)).to.equal(1);
        expect(host.err).to.equal('There is no such announcement, or it has been deleted.\n');
        expect((await test.call('GET', '/announcements')).body.announcements).to.equal([]);
        expect(await admin('announce', 'Usual')).to.equal(0);
        expect((await test.call('GET', '/announcements')).body.announcements[0].level).to.equal('info');
    });

    it('say what is wrong', async () => {
        for (const [argv, message] of [
            [['announce'], /^The text is needed, with 1 to 500 characters/], [['announce', ''], /^The text is needed/], [['announce', 'a', 'b'], /^Too many arguments: b/], [['announce', 'a', '--for', 'long'], /^--for must be a number/],
            [['withdraw'], /^The id of the announcement is missing\./], [['withdraw', 'x'], /^"x" is no id\./], [['webhook-off', '0'], /^"0" is no id\./], [['log', '--count', '0'], /^--count must be a whole number/]
        ] as const) {
            expect(await admin(...argv), argv.join(' ')).to.equal(2);
            expect(host.err).to.match(message);
        }
    });

    it('print the place in numbers, and how far the maintenance is', async () => {
        expect(await admin('statistics')).to.equal(0);
        expect(JSON.parse(host.out).people).to.equal({ count: 1, estimated: false });
        expect(await admin('maintenance')).to.equal(0);
        expect(JSON.parse(host.out)).to.equal({ done_until: null, due_at: null, running: false });
        expect(await admin('maintenance', '--now')).to.equal(0);
        expect(JSON.parse(host.out).due_at).to.match(TIME);
    });

    it('list apps and webhooks, and switch a webhook off', async () => {
        await ada.call('POST', '/users/me/apps', { name: 'Editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/done'] });
        const { body: { webhook } } = await ada.call('POST', '/users/me/webhooks', { url: 'https://hooks.example/secret', events: ['project.changed', 'project.held'] });
        expect(await admin('apps')).to.equal(0);
        expect(table().map((line) => line.slice(1, 6))).to.equal([['name', 'url', 'owner username', 'trusted', 'users'], ['Editor', 'https://editor.example', 'ada', 'false', '0']]);
        expect(await admin('webhook-off', webhook.id)).to.equal(0);
        expect(await admin('webhooks')).to.equal(0);
        expect(table()[1]).to.equal([webhook.id, 'ada', 'hooks.example', 'project.changed,project.held', 'false', '-', '0', '-']);
        expect(await admin('webhook-off', '999')).to.equal(1);
    });

    it('write all that they do to the log, by no name', async () => {
        for (const argv of [
            ['grant', 'ada', 'teacher'], ['grant', 'ada', 'teacher'], ['password', 'ada'], ['suspend', 'ada', '--reason', 'Spam'], ['unsuspend', 'ada'], ['remove-account', 'ada', '--yes'], ['restore-account', 'ada'], ['invite'], ['app', 'Editor', '--trusted'], ['app', 'Editor', '--delete', '--yes']
        ]) {
            expect(await admin(...argv), `${argv.join(' ')}: ${host.err}`).to.equal(0);
            if (argv[0] === 'invite') {
                expect(await admin('invite', '--revoke', host.out.trim())).to.equal(0);
            }
        }

        expect(await admin('log')).to.equal(0);
        const lines = table();
        expect(lines[0]).to.equal(['at', 'by username', 'act', 'target type', 'target id', 'target name', 'detail']);
        expect(lines.slice(1).every(([at = '', by]) => TIME.test(at) && by === '-')).to.be.true();
        expect(lines.slice(1).map((line) => line[2])).to.equal([
            'delete_app', 'trust_app', 'delete_code', 'create_code', 'restore', 'remove', 'unsuspend', 'suspend', 'reset_password', 'grant', 'switch_off', 'maintain', 'announce', 'withdraw', 'announce'
        ]);
        expect(await admin('log', '--count', '2')).to.equal(0);
        expect(table()).to.have.length(3);
        await test.database.db.raw(`insert into admin_log (act, type, name) select 'maintain', 'place', n::text from generate_series(1, 250) n`);
        expect(await admin('log', '--count', '240')).to.equal(0);
        expect(table()).to.have.length(241);
        expect(table()[240]?.[5]).to.equal('11');
        expect(await admin('log', '--count', '1000')).to.equal(0);
        expect(table()).to.have.length(await count(test, 'from admin_log') + 1);
        expect(await admin('log', '--moderation')).to.equal(0);
        expect(table().slice(1).map((line) => line.slice(1))).to.equal([['-', 'unsuspend', 'user', ada.id, 'ada', '-'], ['-', 'suspend', 'user', ada.id, 'ada', 'Spam']]);
    });
});
