import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { until } from '../support/host';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('the client and what is not public', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    beforeEach(() => {
        on.requests.length = 0;
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`shares a project, lets others join, and reads what is shared, in ${host}`, async () => {
            const [teacher, pupil] = [await openAuthor(on.test), await openAuthor(on.test)];
            const told = await on.run(host, { teacher: sessionOf(teacher), pupil: sessionOf(pupil) }, async ({ pagewright, url, given }) => {
                const [his, hers] = [pagewright.createClient(url), pagewright.createClient(url)];
                his.signInWith(given.teacher);
                hers.signInWith(given.pupil);
                const { project } = await his.projects.create({ title: 'Our class', visibility: 'private' });
                const invitation = await his.members.invite(project, { role: 'viewer', uses: 30 });
                const second = await his.members.invite(project, { role: 'editor' });
                await his.members.withdraw(project, second);
                const refused = await hers.members.join(second.code).catch((error) => error.status);
                const joined = await hers.members.join(invitation.code);
                const raised = await his.members.put(project, given.pupil.user.username, 'editor');
                const pages = await hers.projects.pages(project);
                await hers.projects.pages(project);
                const shared = [];
                for await (const { title } of hers.members.shared()) {
                    shared.push(title);
                }

                const remix = await hers.projects.remix(project, { title: 'Mine', visibility: 'unlisted' });
                const mine = [];
                for await (const { title, visibility } of hers.projects.mine()) {
                    mine.push([title, visibility]);
                }

                const members = await his.members.list(project);
                await his.members.remove(project, given.pupil.user.username);
                const gone = await hers.projects.pages(project).catch((error) => error.status);
                return [refused, joined.role, joined.project.title, raised.role, pages.length, shared, remix.title, mine, members.length, gone];
            });
            expect(told).to.equal([404, 'viewer', 'Our class', 'editor', 1, ['Our class'], 'Mine', [['Mine', 'unlisted']], 1, 404]);
            // It is asked for without the token once, and then with it.
            expect(on.requests.flatMap((request) => / .*\/pages (\d+)$/.exec(request)?.[1] ?? [])).to.equal(['404', '200', '304', '404']);
        });
    }

    it('lists the invitations to a public project', async () => {
        const author = await openAuthor(on.test);
        const { id } = await author.project();
        const told = await on.run('Node', { session: sessionOf(author), place: { id, user_id: author.id } }, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            await client.members.invite(given.place, { role: 'viewer', uses: 30 });
            await client.members.present(given.place, { page: '40' });
            return (await client.members.invitations(given.place)).map(({ role, uses }) => [role, uses]);
        });
        expect(told).to.equal([['viewer', 30]]);
    });

    it('goes on watching a project that becomes private, if whoever is signed in may still see it', async () => {
        const author = await openAuthor(on.test);
        const project = await author.project();
        const told = on.run('Node', { session: sessionOf(author), place: { id: project.id, user_id: author.id } }, async ({ pagewright, url, given }) => {
            const client = pagewright.createClient(url);
            client.signInWith(given.session);
            const seen: number[] = [];
            for await (const { revision } of client.watch(given.place)) {
                seen.push(revision);
                if (revision === 4) {
                    break;
                }
            }

            return seen;
        });
        const streams = (): number => on.requests.filter((request) => request.includes('/events')).length;
        await until(() => streams() === 1);
        await author.call('PATCH', project.url, { visibility: 'private' });
        await until(() => streams() >= 2, 20_000);
        await author.call('PATCH', project.url, { title: 'Still mine' });
        await author.call('PATCH', project.url, { title: 'Mine' });
        expect(await told).to.equal([2, 3, 4]);
    });
});
