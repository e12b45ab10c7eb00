import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { readConfig } from '../../../src/config/index';
import { limits } from '../../../src/api/protection/rate-limits';
import { MAX_PRESENT, MAX_SHOWN_CHOSEN } from '../../../src/limits';
import { maintain } from '../../../src/operations/maintenance/jobs';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('presence in a project', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let ivy: Author;
    let mod: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        ivy = await openAuthor(server, 'ivy');
        mod = await openAuthor(server, 'mod', { moderator: true });
    });

    beforeEach(async () => {
        project = await ada.project({ visibility: 'private' });
        await ada.call('PUT', `${project.url}/members/eve`, { role: 'editor' });
    });

    after(() => server.stop());

    /** The others whom somebody is shown, or the status of the error. */
    const put = async (who: Author, body: object = {}): Promise<unknown> => {
        const answer = await who.call('PUT', `${project.url}/presence`, body);
        return answer.status === 200 ? answer.body.present : answer.status;
    };

    const nowhere = (who: Author, username: string): object => ({ user: { id: who.id, username }, page: null, cursor: null, selected: [] });

    it('shows editors where the others are, and not themselves', async () => {
        expect(await put(ada, { page: '40', cursor: { left: 10, top: -20 }, selected: ['95', '96'] })).to.equal([]);
        expect(await put(eve)).to.equal([{ user: { id: ada.id, username: 'ada' }, page: '40', cursor: { left: 10, top: -20 }, selected: ['95', '96'] }]);
        expect(await put(ada)).to.equal([nowhere(eve, 'eve')]);
        expect(await put(eve)).to.equal([nowhere(ada, 'ada')]);
    });

    it('is neither shown to nor of those who may not edit, and tells nobody of a private project', async () => {
        await ada.call('PUT', `${project.url}/members/ivy`, { role: 'viewer' });
        expect(await put(ada)).to.equal([]);
        expect([await put(ivy), await put(mod)]).to.equal([403, 403]);
        expect(await put(ada)).to.equal([]);
        await ada.call('DELETE', `${project.url}/members/ivy`);
        expect(await put(ivy)).to.equal(404);
        expect((await server.call('PUT', `${project.url}/presence`, {})).status).to.equal(401);
    });

    it('ends at once with the right to edit, the account and the suspension of one, and within seconds by itself', async () => {
        const { db } = server.database;
        const isShown = async (): Promise<boolean> => JSON.stringify(await put(ada)).includes('"eve"');
        const ends = async (change: () => PromiseLike<unknown>, back: () => PromiseLike<unknown>): Promise<void> => {
            await put(eve);
            expect(await isShown()).to.be.true();
            await change();
            expect(await isShown()).to.be.false();
            await back();
        };

        const member = (role: string): Promise<unknown> => ada.call('PUT', `${project.url}/members/eve`, { role });
        await ends(() => member('viewer'), () => member('editor'));
        await ends(() => ada.call('DELETE', `${project.url}/members/eve`), () => member('editor'));
        await ends(() => db.raw(`update users set suspended_until = 'infinity', suspension_reason = 'Spam' where id = ?`, [eve.id]), () => db.raw(`update users set suspended_until = null, suspension_reason = null where id = ?`, [eve.id]));
        await ends(() => db.raw('update users set deleted_at = now() where id = ?', [eve.id]), () => db.raw('update users set deleted_at = null where id = ?', [eve.id]));
        await ends(() => db.raw(`update project_presence set at = at - interval '9 seconds'`), () => Promise.resolve());
    });

    it('is bounded: in what one says, how often, and how many are shown', async () => {
        const { db } = server.database;
        const invalid = [{ page: '0' }, { page: 40 }, { cursor: { left: 10_001, top: 0 } }, { cursor: { left: 1 } }, { cursor: { left: 0.5, top: 0 } }, { selected: Array(MAX_SHOWN_CHOSEN + 1).fill('1') }, { selected: ['new-1'] }, { name: 'Eve' }];
        for (const body of invalid) {
            expect(await put(eve, body), JSON.stringify(body)).to.equal(400);
        }

        expect(await put(ada)).to.equal([]);
        await db.raw(`
            with u as (insert into users (username) select 'crowd-' || n from generate_series(1, ?) n returning id), m as (insert into project_members (project_id, user_id, role) select ?, id, 'editor' from u)
            insert into project_presence (project_id, user_id, at, selected) select ?, id, now(), '{}' from u`, [MAX_PRESENT + 1, project.id, project.id]);
        expect((await ada.call('PUT', `${project.url}/presence`, {})).body.present).to.have.length(MAX_PRESENT);

        const limited = await startTestServer({ config: { rateLimit: true } });
        try {
            const one = await openAuthor(limited, 'one');
            const { url } = await one.project();
            await limited.database.db.raw(`insert into rate_limits (key, points, expire) values (?, ?, ?)`, [`presence:user ${one.id}`, limits.presence.points - 1, Date.now() + 60_000]);
            expect((await one.call('PUT', `${url}/presence`, {})).status).to.equal(200);
            const refused = await one.call('PUT', `${url}/presence`, {});
            expect([refused.status, refused.body.code, Number(refused.headers['retry-after']) > 0]).to.equal([429, 'rate_limited', true]);
        }
        finally {
            await limited.stop();
        }
    });

    it('is no change of the project, and is deleted after a minute', async () => {
        const { db } = server.database;
        const unchanged = (await ada.call('GET', project.url)).body.project;
        await put(ada, { page: '40' });
        expect((await ada.call('GET', project.url)).body.project).to.equal(unchanged);
        await db.raw(`update project_presence set at = at - interval '2 minutes' where user_id = ?`, [eve.id]);
        await put(eve);
        await db.raw(`update project_presence set at = at - interval '2 minutes' where user_id = ?`, [ada.id]);
        await maintain(db, { ...readConfig({}), assets: server.assets }, new AbortController().signal, true);
        const { rows } = await db.raw('select user_id from project_presence where project_id = ?', [project.id]);
        expect(rows).to.equal([{ user_id: eve.id }]);
    });
});
