import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../../src/operations/cli/main';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { PASSWORD, startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the commands for accounts', () => {
    let test: TestServer;
    let host: FakeHost;

    before(async () => {
        test = await startTestServer();
    });

    after(() => test.stop());

    const adminWith = (input: Buffer[], ...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: test.database.url }, { input });
        return run(argv, host);
    };

    const admin = (...argv: string[]): Promise<number> => adminWith([], ...argv);

    const signIn = async (username: string, password: string): Promise<number> => (await test.call('POST', '/tokens', { username, password })).status;

    /** The tables that the database keeps consistent with the live projects. */
    const counters = async (): Promise<object> => {
        const { rows: [row] } = await test.database.db.raw(`
            select array(select tag || ' ' || project_id from project_tags order by 1) as tags, array(select project_id::int from featured_projects order by 1) as featured,
                array(select tag || ' ' || projects from featured_tags order by 1) as featured_tags,
                array(select project_id || ' ' || remixes from project_stats order by project_id) as remixes`);
        return row;
    };

    it('set a new password, and sign out everywhere', async () => {
        const ada = await test.open('Ada');
        expect(await admin('password', 'ada')).to.equal(0);
        expect(host.out).to.match(/^[\w-]{16}\n$/);
        expect(host.err).to.equal('Ada has a new password. Tokens revoked: 1.\n');
        expect((await test.call('GET', `/users/${ada.id}`, undefined, { token: ada.token })).status).to.equal(401);
        expect(await signIn('ada', PASSWORD)).to.equal(401);
        expect(await signIn('ada', host.out.trim())).to.equal(201);
    });

    it('read the new password from standard input, up to the end of the line', async () => {
        const given: [Buffer[], string][] = [
            [[Buffer.from('p\u00e4ssword one\r\nmore\n')], 'p\u00e4ssword one'],
            [[Buffer.from('p\u00e4ss').subarray(0, 2), Buffer.from('p\u00e4ss').subarray(2), Buffer.from('word two')], 'p\u00e4ssword two'],
            [[Buffer.from('  a blank at both ends  \n')], '  a blank at both ends  ']
        ];
        for (const [input, password] of given) {
            expect(await adminWith(input, 'password', 'ADA', '--stdin'), host.err).to.equal(0);
            expect(host.out).to.equal('');
            expect(await signIn('ada', password), password).to.equal(201);
        }

        for (const input of ['', 'short\n', 'a\u0000bcdefgh\n', `${'x'.repeat(257)}\n`, 'x'.repeat(20_000)]) {
            expect(await adminWith([Buffer.from(input)], 'password', 'ada', '--stdin')).to.equal(1);
            expect(host.err).to.equal('A password must have 8 to 256 characters.\n');
        }
    });

    it('set no password for users of another provider', async () => {
        await test.database.db.raw(`insert into users (username, issuer, subject) values ('elsewhere', 'https://id.example', 'x')`);
        expect(await admin('password', 'elsewhere')).to.equal(1);
        expect(host.err).to.equal('elsewhere has no password here, and signs in at https://id.example.\n');
        expect(await admin('password', 'nobody')).to.equal(3);

        const env = { DATABASE_URL: test.database.url, AUTH_PROVIDER: 'jwt', AUTH_ISSUER: 'https://other.example', AUTH_AUDIENCE: 'pages' };
        const jwt = fakeHost(env);
        expect(await run(['password', 'ada'], jwt)).to.equal(1);
        expect(jwt.err).to.equal('Ada has no password here, and signs in at https://other.example.\n');
    });

    const ways: [how: string, remove: (author: Author) => Promise<void>][] = [
        ['an operator', async ({ username }) => {
            expect(await admin('remove-account', username)).to.equal(4);
            expect(host.out).to.equal(`${username} would be removed. Projects: 3, tokens: 1.\n`);
            expect(host.err).to.equal('Nothing was changed. Add --yes to do it.\n');
            expect(await admin('remove-account', username, '--yes')).to.equal(0);
            expect(host.out).to.equal(`${username} was removed. Projects: 3, tokens: 1.\n`);
        }],
        ['its user', async ({ id, token }) => {
            expect((await test.call('DELETE', `/users/${id}`, undefined, { token })).status).to.equal(200);
        }]
    ];
    for (const [how, remove] of ways) {
        it(`restore an account that ${how} removed, with exactly what was deleted with it`, async () => {
            const other = await openAuthor(test);
            const mine = await openAuthor(test, undefined, { moderator: true });
            const source = await other.project();
            const kept = await mine.project({ title: 'Kept', description: '#garden #\u0441\u0430\u0434' });
            expect((await mine.call('PATCH', `${kept.url}/feature`, { featured: true })).status).to.equal(200);
            await mine.remix(source);
            const remixed = await mine.project({ title: 'Remixed' });
            await other.remix(remixed);
            const gone = await mine.project({ title: 'In the trash', description: '#gone' });
            expect((await mine.call('DELETE', gone.url)).status).to.equal(200);

            const full = await counters();
            const pages = await test.call('GET', `${kept.url}/pages`);
            const { body: { project: earlier } } = await test.call('GET', kept.url);

            // Twice, to check that a deletion is not confused with an earlier one.
            for (const _time of [1, 2]) {
                await remove(mine);
                expect(await counters()).to.not.equal(full);
                expect((await test.call('GET', kept.url)).status).to.equal(404);
                expect(await signIn(mine.username, PASSWORD)).to.equal(401);

                expect(await admin('restore-account', mine.username.toUpperCase()), host.err).to.equal(0);
                expect(host.out).to.equal(`${mine.username} was restored. Projects: 3.\n`);
                expect(await counters()).to.equal(full);
                expect((await test.call('GET', `${kept.url}/pages`)).body.pages).to.equal(pages.body.pages);
                expect((await test.call('GET', gone.url)).status).to.equal(404);
                expect((await test.call('GET', `/users/${mine.id}`, undefined, { token: mine.token })).status).to.equal(401);
                const again = await test.call('POST', '/tokens', { username: mine.username, password: PASSWORD });
                mine.token = again.body.token.access_token;
            }

            const { body: { project } } = await test.call('GET', kept.url);
            expect(Number(project.revision)).to.be.above(Number(earlier.revision));
            expect(await admin('restore-account', mine.username)).to.equal(3);
            expect(host.err).to.equal(`There is no deleted account "${mine.username}".\n`);
        });
    }

    it('end a class with its last teacher only if an operator insists, and then its accounts become ordinary ones', async () => {
        const { db } = test.database;
        const teaching = async (name: string): Promise<string> => {
            const teacher = await openAuthor(test, name);
            await db.raw('update users set teacher = true where id = ?', [teacher.id]);
            const { body: { class: { id } } } = await teacher.call('POST', '/users/me/classes', { title: 'Year 5' });
            await teacher.call('POST', `/classes/${id}/pupils`, { names: ['Ana'] });
            return id;
        };

        const stateOf = async (id: string): Promise<object> => {
            const { rows: [row] } = await db.raw('select deleted_at is not null as ended, (select count(publish)::int from users where managed_by = c.id and deleted_at is null) as managed, (select count(*)::int from users where managed_by = c.id and deleted_at is null) as accounts from classes c where id = ?', [id]);
            return row;
        };

        const [one, two] = [await teaching('tea'), await teaching('ted')];
        expect(await admin('revoke', 'tea', 'teacher')).to.equal(4);
        expect(host.err).to.equal(`tea is the last teacher of 1 class (${one}). Let another teacher be added first, or add --yes to end it.\n`);
        expect(await stateOf(one)).to.equal({ ended: false, managed: 1, accounts: 1 });
        expect(await admin('revoke', 'tea', 'teacher', '--yes')).to.equal(0);
        expect(await stateOf(one)).to.equal({ ended: true, managed: 0, accounts: 1 });

        expect(await admin('remove-account', 'ted')).to.equal(4);
        expect(host.out).to.equal(`ted would be removed. Projects: 0, tokens: 1. Classes without another teacher, which end: ${two}.\n`);
        expect(await stateOf(two)).to.equal({ ended: false, managed: 1, accounts: 1 });
        expect(await admin('remove-account', 'ted', '--yes')).to.equal(0);
        expect(await stateOf(two)).to.equal({ ended: true, managed: 0, accounts: 1 });
    });

    it('fail for an unknown name', async () => {
        for (const argv of [['remove-account', 'nobody', '--yes'], ['restore-account', 'nobody'], ['show', 'nobody'], ['password', 'nobody']]) {
            expect(await admin(...argv), argv[0]).to.equal(3);
            expect(host.out).to.equal('');
        }
    });

    it('show an account without any secret', async () => {
        const { db } = test.database;
        const pupil = await openAuthor(test, 'Pupil');
        const project = await pupil.project({ title: 'My\u001b[2Jgarden\n' });
        const element = await pupil.element(project.page);
        expect((await pupil.call('DELETE', element.url)).status).to.equal(200);
        const page = await pupil.page(project, { x: 5, y: 5 });
        expect((await pupil.call('DELETE', page.url)).status).to.equal(200);
        const gone = await pupil.project({ title: 'Gone' });
        expect((await pupil.call('DELETE', gone.url)).status).to.equal(200);
        await test.call('POST', '/tokens', { username: 'pupil', password: PASSWORD, label: 'The laptop', scope: ['projects'] });

        const shown = async (): Promise<string[]> => {
            expect(await admin('show', 'pupil'), host.err).to.equal(0);
            return host.out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME').split('\n');
        };

        const lines = await shown();
        expect(lines.slice(0, 9)).to.equal([
            `id\t${pupil.id}`, 'username\tPupil', 'language\ten', 'permissions\t-', 'signs in\twith a password', 'created\tTIME', 'changed\tTIME', 'deleted\t-', 'suspended\t-'
        ]);
        expect(lines).to.include(['projects: 1', 'id\ttitle\tpages\tfeatured\tcreated\tchanged', `${project.id}\tMy [2Jgarden \t1\t-\tTIME\tTIME`, 'tokens: 2']);
        expect(lines.find((line) => line.includes('The laptop'))).to.match(/^\d+\tThe laptop\tprojects\tTIME\tTIME$/);
        expect(lines).to.include(['trash: 3', 'type\tid\tproject\tdeleted\twith the account', `page\t${page.id}\tMy [2Jgarden \tTIME\t-`, `element\t${element.id}\tMy [2Jgarden \tTIME\t-`, `project\t${gone.id}\tGone\tTIME\t-`]);
        const { rows: [{ hash }] } = await db.raw('select password_hash as hash from users where id = ?', [pupil.id]);
        expect(host.out).to.not.contain(hash).and.to.not.contain(pupil.token);

        await db.raw('update users set moderator = true, staff = true where id = ?', [pupil.id]);
        await db.raw('insert into projects (user_id, version, title) select ?, \'1\', n from generate_series(1, 100) n', [pupil.id]);
        const more = await shown();
        expect(more).to.include(['permissions\tmoderator, staff', 'projects, the newest 100:']);

        expect(await admin('remove-account', 'pupil', '--yes')).to.equal(0);
        const removed = await shown();
        expect(removed).to.include(['deleted\tTIME', 'projects: 0', 'tokens: 0', 'trash, the newest 100:']);
        expect(removed.filter((line) => /^project\t.*\tyes$/.test(line)).length).to.be.above(90);

        await db.raw(`insert into users (username) values ('nosignin')`);
        expect(await admin('show', 'nosignin')).to.equal(0);
        expect(host.out).to.contain('signs in\tnot at all\n');
        expect(await admin('show', 'elsewhere')).to.equal(0);
        expect(host.out).to.contain('signs in\thttps://id.example, as x\n');
    });
});
