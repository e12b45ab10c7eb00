import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { atOnce, count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the deletion of a user', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    let source: MadeProject;

    before(async () => {
        server = await startTestServer({ pool: 16 });
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        source = await ada.project();
    });

    after(() => server.stop());

    const jobs: ((leaver: Author, own: MadeProject) => Promise<Answer>)[] = [
        (leaver) => leaver.call('POST', `/users/${leaver.id}/projects`, { title: 'late' }),
        (leaver) => leaver.call('POST', `${source.url}/remixes`),
        (leaver, own) => leaver.call('POST', `${own.url}/remixes`),
        (leaver, own) => leaver.bulk([{ type: 'projects', method: 'create', data: { title: 'late' } }, { type: 'projects', method: 'update', data: { id: own.id, title: 'late' } }]),
        (leaver, own) => leaver.call('POST', `${own.url}/pages`, { x: 1, y: 1 }),
        (leaver, own) => leaver.call('POST', `${own.page.url}/elements`, { type: 'late' }),
        (leaver, own) => leaver.call('PATCH', own.url, { title: 'late' }),
        (_leaver, own) => moderator.call('PATCH', `${own.url}/feature`, { featured: true }),
        (_leaver, own) => ada.call('POST', `${own.url}/remixes`),
        (leaver) => leaver.call('POST', '/tokens', { username: leaver.username, password: 'correct horse battery' }),
        (_leaver, own) => moderator.bulk([{ type: 'pages', method: 'remove', data: { id: own.page.id } }])
    ];

    it('leaves nothing behind, whatever they and others do meanwhile', async () => {
        const leavers: [Author, MadeProject][] = [];
        await atOnce(40, 4, async () => {
            const leaver = await openAuthor(server);
            leavers.push([leaver, await leaver.project({ description: '#left' })]);
        });
        await atOnce(leavers.length, 2, async (n) => {
            const [leaver, own] = leavers[n] ?? [ada, source];
            const leave = async (): Promise<void> => {
                expect((await leaver.call('DELETE', `/users/${leaver.id}`)).status).to.equal(200);
            };

            await Promise.all([
                ...jobs.slice(0, n % jobs.length).map((job) => job(leaver, own)), leave(), ...jobs.slice(n % jobs.length).map((job) => job(leaver, own))
            ].map(async (job) => {
                const answer = await job;
                expect([200, 201, 401, 404, undefined], answer?.text).to.include(answer?.status);
            }));
            expect(await count(server, 'from projects where user_id = ? and deleted_at is null', [leaver.id])).to.equal(0);
            expect(await count(server, 'from tokens where user_id = ?', [leaver.id])).to.equal(0);
            expect(await count(server, 'from featured_projects where user_id = ?', [leaver.id])).to.equal(0);
            expect((await server.call('GET', own.url)).status).to.equal(404);
        });
        expect((await server.call('GET', '/projects/tagged/left')).body.projects).to.equal([]);
        const { rows } = await server.database.db.raw('select count(*)::int as n from projects where remixed_from = ? and deleted_at is null', [source.id]);
        expect((await server.call('GET', `/projects/${source.id}`)).body.project.stats.remixes).to.equal(rows[0].n);
        expect(server.faults).to.equal([]);
    });

    it('while projects are featured and the language changes leaves consistent lists', async () => {
        for (let trial = 0; trial < 30; ++trial) {
            const language = trial % 2 === 0 ? 'fr' : 'de';
            const answers = await Promise.all([
                moderator.call('PATCH', `${source.url}/feature`, { featured: true }), ada.call('PATCH', `/users/${ada.id}`, { language }), ada.call('PATCH', source.url, { description: `#${trial}` })
            ]);
            expect(answers.map(({ status }) => status)).to.equal([200, 200, 200]);
            const { rows } = await server.database.db.raw('select language from featured_projects where project_id = ?', [source.id]);
            expect(rows).to.equal([{ language }]);
            await moderator.call('PATCH', `${source.url}/feature`, { featured: false });
        }
    });
});
