import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { commands } from '../../../src/operations/cli/commands';
import { startEmbedded } from '../../../src/database/embedded';
import { emptyDatabase } from '../../support/database';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** What purge prints, if there is no sign-up code to remove. */
const counts = (elements: number, pages: number, projects: number, users: number, tokens: number, points = 0): string => {
    return `elements\t${elements}\npages\t${pages}\nprojects\t${projects}\nusers\t${users}\nclasses\t0\ntokens\t${tokens}\nsign-up codes\t0\npoints of histories\t${points}\nassets\t0\n`;
};

describe('the operators\' command line', () => {
    let test: TestServer;
    let host: FakeHost;

    before(async () => {
        test = await startTestServer();
    });

    after(() => test.stop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        return run(argv, host);
    };

    it('lists every command with what it does in the same column, below it if its usage is long', async () => {
        expect(await admin('--help')).to.equal(0);
        const lines = host.out.split('\n');
        for (const { usage, summary } of Object.values(commands)) {
            const at = lines.findIndex((line) => line.startsWith(`  ${usage}`));
            const line = lines[at] === `  ${usage}` ? lines[at + 1] : lines[at];
            expect(line?.slice(54), usage).to.equal(`  ${summary}`);
        }
    });

    it('prints its help', async () => {
        for (const asked of ['--help', '-h', 'help']) {
            expect(await admin(asked)).to.equal(0);
            const { out } = host;
            Object.values(commands).forEach(({ usage, summary }) => expect(out).to.contain(usage).and.contain(summary));
            expect(host.out).to.contain('exit codes: 0 done');
            expect(host.err).to.equal('');
        }

        for (const [name, { usage, help }] of Object.entries(commands)) {
            expect(await admin(name, '--help'), name).to.equal(0);
            expect(host.out).to.startWith(`usage: pagewright admin ${usage}`).and.contain(help);
        }
    });

    it('shows the command that it was started with', async () => {
        const npm = fakeHost({ npm_lifecycle_event: 'admin' });
        expect(await run(['users', '--help'], npm)).to.equal(0);
        expect(npm.out).to.startWith('usage: npm run admin -- users\n');
    });

    it('exits with 2 on an invalid command line, before it opens anything', async () => {
        const wrong: [string[], RegExp][] = [
            [[], /^The command is missing\./],
            [['toString'], /^There is no command "toString"\./],
            [['users', '--all'], /^Unknown option '--all'/],
            [['users', 'me'], /^Too many arguments: me\n/],
            [['grant'], /^The username is missing\./],
            [['grant', 'ada'], /^The permission is missing: "moderator" or "staff" or "teacher"\./],
            [['revoke', 'ada', 'king'], /^The permission must be "moderator" or "staff" or "teacher", not "king"\./],
            [['token', 'ada', '--scope', 'user,all'], /^--scope must be user or projects, or both/],
            [['token', 'ada', '--scope', ''], /^--scope must be/],
            [['token', 'ada', '--days', '366'], /^--days must be a whole number from 1 to 365, not "366"\./],
            [['token', 'ada', '--days', '1.5'], /^--days/],
            [['token', 'ada', '--days', '0'], /^--days/],
            [['invite', '--uses', '0'], /^--uses must be a whole number from 1 to 100000, not "0"\./],
            [['invite', '--expires', 'soon'], /^--expires must be a number with s, m, h, d or w, such as 7d/],
            [['restore-class'], /^The id of the class is missing\./],
            [['restore-class', 'ada'], /^"ada" is no id\./],
            [['backup'], /^The file name is missing\./],
            [['restore', 'a', 'b'], /^Too many arguments: b\n/],
            [['purge', '--older-than', '3y'], /^--older-than must be a number with s, m, h, d or w, such as 30d/],
            [['purge', '--older-than', '9999999d'], /^--older-than/],
            [['purge', '--yes', '--dry-run'], /^--dry-run and --yes cannot be used together\./]
        ];
        for (const [argv, words] of wrong) {
            const nowhere = fakeHost({ DATABASE_URL: 'postgres://127.0.0.1:1/nothing' });
            expect(await run(argv, nowhere), argv.join(' ')).to.equal(2);
            expect(nowhere.err).to.match(words).and.contain('usage: pagewright admin ');
            expect(nowhere.out).to.equal('');
        }
    });

    it('grants and revokes permissions, each with a new revision', async () => {
        const ada = await test.open('Ada');
        const shown = async (): Promise<[number, unknown]> => {
            const { body } = await test.call('GET', `/users/${ada.id}`, undefined, { token: ada.token });
            return [body.user.revision, body.user.permissions];
        };

        const steps: [string[], string, number, object][] = [
            [['grant', 'ADA', 'moderator'], 'Ada is now moderator.\n', 2, { staff: false, moderator: true, teacher: false }],
            [['grant', 'ada', 'moderator'], 'Ada was already moderator.\n', 2, { staff: false, moderator: true, teacher: false }],
            [['grant', 'ada', 'staff'], 'Ada is now staff.\n', 3, { staff: true, moderator: true, teacher: false }],
            [['revoke', 'ada', 'moderator'], 'Ada is no longer moderator.\n', 4, { staff: true, moderator: false, teacher: false }],
            [['revoke', 'ada', 'moderator'], 'Ada was not moderator.\n', 4, { staff: true, moderator: false, teacher: false }],
            [['grant', 'ada', 'teacher'], 'Ada is now teacher.\n', 5, { staff: true, moderator: false, teacher: true }],
            [['revoke', 'ada', 'teacher'], 'Ada is no longer teacher.\n', 6, { staff: true, moderator: false, teacher: false }]
        ];
        for (const [argv, said, ...expected] of steps) {
            expect(await admin(...argv)).to.equal(0);
            expect(host.out).to.equal(said);
            expect(await shown()).to.equal(expected);
        }

        expect(await admin('grant', 'nobody', 'staff')).to.equal(3);
        expect(host.err).to.equal('There is no user "nobody", or the account was deleted.\n');
    });

    it('prints only a token', async () => {
        const { id, username } = await test.open();
        const tokenOf = async (...more: string[]): Promise<{ token: string; scope: string[]; days: number }> => {
            expect(await admin('token', username, ...more)).to.equal(0);
            expect(host.out).to.match(/^[\w-]{43}\n$/);
            expect(host.err).to.equal('');
            const token = host.out.trim();
            const { rows } = await test.database.db.raw('select scope, extract(epoch from expires_at - created_at) / 86400 as days from tokens where user_id = ? order by id desc limit 1', [id]);
            return { token, scope: rows[0].scope, days: Number(rows[0].days) };
        };

        const full = await tokenOf();
        expect(full).to.include({ scope: ['user', 'projects'], days: 30 });
        expect(await test.call('POST', `/users/${id}/projects`, { title: 'Made with it' }, { token: full.token })).to.include({ status: 201 });

        const narrow = await tokenOf('--scope', 'user', '--days', '7');
        expect(narrow).to.include({ scope: ['user'], days: 7 });
        expect(await test.call('POST', `/users/${id}/projects`, { title: 'No' }, { token: narrow.token })).to.include({ status: 403 });
        expect(await tokenOf('--scope', ' projects , user')).to.include({ scope: ['user', 'projects'] });

        expect(await admin('token', 'nobody')).to.equal(3);
        expect(host.out).to.equal('');
    });

    it('prints no token with another provider', async () => {
        const { username } = await test.open();
        const elsewhere = fakeHost({ DATABASE_URL: test.database.url, AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://id.example', AUTH_AUDIENCE: 'pages' });
        expect(await run(['token', username], elsewhere)).to.equal(1);
        expect(elsewhere.out).to.equal('');
        expect(elsewhere.err).to.contain('https://id.example issues them');
    });

    it('lists users, and purges what was deleted long ago', async () => {
        const { db } = test.database;
        const gone = await test.open('gone');
        const stays = await test.open('stays', { moderator: true });
        const made: string[] = [];
        for (const { id, token } of [gone, stays, stays, stays]) {
            const { body } = await test.call('POST', `/users/${id}/projects`, { title: 'One' }, { token });
            const at = `/users/${id}/projects/${body.project.id}/pages/${body.page.id}`;
            await test.call('POST', `${at}/elements`, { type: 'text' }, { token });
            made.push(at);
        }

        const [, page = '', element = '', project = ''] = made;
        const elements = await test.call('GET', `${element}/elements`);
        const remix = await test.call('POST', `${project.slice(0, project.indexOf('/pages'))}/remixes`, {}, { token: stays.token });
        for (const [path, token] of [
            [`/users/${gone.id}`, gone.token], [page, stays.token],
            [`${element}/elements/${elements.body.elements[0].id}`, stays.token],
            [project.slice(0, project.indexOf('/pages')), stays.token]
        ] as const) {
            expect((await test.call('DELETE', path, {}, { token })).status).to.equal(200);
        }

        expect(await admin('users')).to.equal(0);
        const lines = host.out.trim().split('\n').map((line) => line.split('\t'));
        expect(lines[0]).to.equal(['id', 'username', 'language', 'permissions', 'projects', 'created', 'deleted']);
        expect(lines.find(([, name]) => name === 'stays')?.slice(0, 5)).to.equal([stays.id, 'stays', 'en', 'moderator', '3']);
        expect(lines.find(([, name]) => name === 'gone')?.[6]).to.match(/^\d{4}-\d\d-\d\d$/);

        // What was deleted just now stays for thirty days.
        expect(await admin('purge', '--yes')).to.equal(0);
        expect(host.out).to.equal(counts(0, 0, 0, 0, 0));

        const ago = 'now() - interval \'40 days\'';
        for (const table of ['users', 'projects', 'pages', 'elements']) {
            await db.raw(`update ${table} set deleted_at = ${ago} where deleted_at is not null`);
        }

        await db.raw(`update project_changes set at = ${ago}`);
        await db.raw(`update tokens set expires_at = ${ago} where id in (select min(id) from tokens)`);
        expect(await admin('purge', '--older-than', '6w', '--yes')).to.equal(0);
        // One of the eight older points stays: a remix goes by it.
        expect(host.out).to.equal(counts(0, 0, 0, 0, 1, 7));

        // Without --yes it only counts.
        expect(await admin('purge')).to.equal(4);
        expect(host.out).to.equal(counts(4, 3, 2, 1, 0));
        expect(host.err).to.equal('Nothing was removed. Add --yes to remove this for good.\n');
        expect(await admin('purge', '--dry-run')).to.equal(0);
        expect(host.out).to.equal(counts(4, 3, 2, 1, 0));
        expect(host.err).to.equal('');
        expect(await admin('purge', '--yes')).to.equal(0);
        expect(host.out).to.equal(counts(4, 3, 2, 1, 0));
        expect(await admin('purge', '--dry-run')).to.equal(0);
        expect(host.out).to.equal(counts(0, 0, 0, 0, 0));

        // The name is free again, and a remix still names its source.
        await test.open('GONE');
        const kept = await test.call('GET', `/projects/${remix.body.project.id}`);
        expect(kept.body.project.remixed_from).to.equal(remix.body.project.remixed_from);
        const left = await db.raw('select count(*) as left from elements where deleted_at is not null');
        expect(left.rows[0].left).to.equal('0');
    });

    it('migrates and seeds', async () => {
        const { db, url, drop } = await emptyDatabase();
        const fresh = async (...argv: string[]): Promise<number> => {
            host = fakeHost({ DATABASE_URL: url });
            return await run(argv, host);
        };

        try {
            expect(await fresh('users')).to.equal(1);
            expect(host.err).to.contain('Run "pagewright admin migrate" first');
            expect(await fresh('migrate', '--dry-run')).to.equal(0);
            expect(host.out).to.startWith('Would apply: 0001_accounts, 0002');
            expect(await fresh('users')).to.equal(1);
            expect(await fresh('migrate')).to.equal(0);
            expect(host.out).to.startWith('Applied: 0001_accounts, 0002');
            expect(await fresh('migrate')).to.equal(0);
            expect(host.out).to.equal('The schema is up to date.\n');

            await db.raw('alter table project_tags rename to lost');
            expect(await fresh('seed')).to.equal(1);
            expect(host.err).to.contain('returned 500');
            await db.raw('alter table lost rename to project_tags');
            expect((await db.raw('select from users')).rows.length).to.equal(0);

            expect(await fresh('seed')).to.equal(0);
            expect(host.out.trim().split('\n').length).to.equal(11);
            expect(host.out).to.match(/^curator\t\S{16}$/m);
            expect(host.err).to.match(/^Made 12 projects with \d+ pages/);
            expect(await fresh('seed')).to.equal(1);
            expect(host.err).to.equal('The demo community exists already, or somebody else has one of its usernames.\n');
        }
        finally {
            await drop();
        }
    });

    it('warns about variables that look like settings', async () => {
        host = fakeHost({ DATABASE_URL: test.database.url, DATA_DRI: 'elsewhere' });
        expect(await run(['users'], host)).to.equal(0);
        expect(host.err).to.equal('DATA_DRI is not a setting, and is ignored. Did you mean DATA_DIR?\n');
    });

    it('exits with 1 and a reason', async () => {
        host = fakeHost({ PORT: 'x' });
        expect(await run(['users'], host)).to.equal(1);
        expect(host.err).to.contain('PORT must be a number');

        host = fakeHost({ DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/pages' });
        expect(await run(['users'], host)).to.equal(1);
        expect(host.err).to.match(/^Cannot use the database pages at 127\.0\.0\.1:1 \(DATABASE_URL\): .*ECONNREFUSED/).and.not.contain('secret');
    });

    it('leaves nothing behind when it is interrupted', async () => {
        host = fakeHost({ DATABASE_URL: test.database.url });
        const running = run(['users'], host);
        await new Promise(setImmediate);
        host.events.emit('SIGINT');
        expect(await running).to.equal(0);
        expect(host.exits).to.equal([1]);
        expect(host.events.listenerCount('SIGINT') + host.events.listenerCount('SIGTERM')).to.equal(0);
    });

    it('works on the embedded database, with or without a running service', async () => {
        const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        const embedded = async (...argv: string[]): Promise<number> => {
            host = fakeHost({ DATA_DIR: dir });
            return await run(argv, host);
        };

        try {
            expect(await embedded('migrate')).to.equal(0);
            const server = await startEmbedded({ dir });
            expect(await embedded('users')).to.equal(0);
            expect(host.out).to.startWith('id\t');
            await server.stop();
            expect(await embedded('token', 'nobody')).to.equal(3);
        }
        finally {
            rmSync(dir, { recursive: true, force: true });
        }
    });
});
