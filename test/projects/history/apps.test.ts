import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { hashSecret, newSecret } from '../../../src/api/auth/secrets';
import { registerApp } from '../../support/apps';
import type { TestApp } from '../../support/apps';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';
import { fileOf, projectZip } from '../../support/zips';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

type Url = Pick<Made, 'url'>;

describe('the history names the app', () => {
    let server: TestServer;
    let db: Knex;
    let ada: Author;
    let app: TestApp;
    let byApp: Author;

    /** Somebody by the token of an app. */
    const through = async (author: Author, { id }: TestApp): Promise<Author> => {
        const token = newSecret();
        await db.raw(`insert into tokens (user_id, app_id, origin, hash, scope, expires_at) values (?, ?, 'app', ?, '{user,projects}', now() + interval '1 hour')`, [author.id, id, hashSecret(token)]);
        return openAuthor({ call: server.call, open: () => Promise.resolve({ ...author, token }) });
    };

    before(async () => {
        server = await startTestServer();
        ({ database: { db } } = server);
        ada = await openAuthor(server, 'ada');
        app = await registerApp(server, ada, { name: 'Kitchen "editor"' });
        byApp = await through(ada, app);
    });

    afterEach(() => {
        expect(server.faults).to.equal([]);
    });

    after(() => server.stop());

    const changesOf = async ({ url }: Url): Promise<Answer['body'][]> => (await ada.call('GET', `${url}/history`)).body.changes;
    const done = async (answer: Promise<Answer>): Promise<Answer> => {
        const { status, text } = await answer;
        expect(status, text).to.be.below(300);
        return answer;
    };

    const entryOf = async (type: string, id: string): Promise<string> => (await ada.call('GET', '/users/me/trash')).body.trash.find((entry: Answer['body']) => entry.type === type && entry.thing.id === id).id;

    /** Each way of writing, with what is there before it. It returns the project in whose history it is then the latest. */
    const ways: Record<string, (by: Author, project: MadeProject) => Promise<Url>> = {
        'a new project': (by) => by.project(),
        'the fields of a project': async (by, project) => {
            await done(by.call('PATCH', project.url, { title: 'Other' }));
            return project;
        },
        'a new page': async (by, project) => {
            await by.page(project, { x: 1, y: 1 });
            return project;
        },
        'the fields of a page': async (by, project) => {
            await done(by.call('PATCH', project.page.url, { styles: { color: 'red' } }));
            return project;
        },
        'a removed page': async (by, project) => {
            await done(by.call('DELETE', project.page.url, {}));
            return project;
        },
        'a new element': async (by, project) => {
            await by.element(project.page);
            return project;
        },
        'the fields of an element': async (by, project) => {
            const element = await ada.element(project.page);
            await done(by.call('PATCH', element.url, { styles: { left: 1 } }));
            return project;
        },
        'the fields of an element that might refer to a picture, which is written alone': async (by, project) => {
            const element = await ada.element(project.page);
            await done(by.call('PATCH', element.url, { attributes: { text: 'asset:none' } }));
            return project;
        },
        'a removed element': async (by, project) => {
            const element = await ada.element(project.page);
            await done(by.call('DELETE', element.url, {}));
            return project;
        },
        'a bulk': async (by, project) => {
            await done(by.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Bulk' } }]));
            return project;
        },
        'a project made by a bulk': async (by) => {
            const { body: { results: [{ id }] } } = await done(by.bulk([{ type: 'projects', method: 'create', data: { title: 'Bulk' } }]));
            return { url: `/users/${ada.id}/projects/${id}` };
        },
        'a remix': (by, project) => by.remix(project),
        'an import': async (by) => {
            const { headers } = await done(by.call('POST', '/users/me/imports', projectZip(fileOf({ title: 'Plants' }, [{ x: 0, y: 0, elements: [] }])), { headers: { 'content-type': 'application/zip' } }));
            return { url: String(headers.location) };
        },
        'a restored point': async (by, project) => {
            await ada.page(project, { x: 1, y: 1 });
            const { body } = await done(by.call('POST', `${project.url}/history/1/restore`, {}));
            expect(body.change.app?.id ?? null).to.equal(by === byApp ? app.id : null);
            return project;
        },
        'an undone change': async (by, project) => {
            await ada.page(project, { x: 1, y: 1 });
            await done(by.call('POST', `${project.url}/history/2/undo`, {}));
            return project;
        },
        'what a source changed': async (by, project) => {
            const remix = await ada.remix(project);
            await ada.page(project, { x: 1, y: 1 });
            await done(by.call('POST', `${remix.url}/upstream/pull`, {}));
            return remix;
        },
        'an element out of the trash': async (by, project) => {
            const element = await ada.element(project.page);
            await ada.call('DELETE', element.url, {});
            await done(by.call('POST', `/users/me/trash/${await entryOf('element', element.id)}/restore`, {}));
            return project;
        },
        'a page out of the trash': async (by, project) => {
            const page = await ada.page(project, { x: 1, y: 1 });
            await ada.call('DELETE', page.url, {});
            await done(by.call('POST', `/users/me/trash/${await entryOf('page', page.id)}/restore`, {}));
            return project;
        },
        'a project out of the trash': async (by, project) => {
            await ada.call('DELETE', project.url, {});
            await done(by.call('POST', `/users/me/trash/${await entryOf('project', project.id)}/restore`, {}));
            return project;
        }
    };
    for (const [what, write] of Object.entries(ways)) {
        it(`with whose token it was written: ${what}`, async () => {
            const [latest] = await changesOf(await write(byApp, await ada.project()));
            expect(latest).to.include({ author: { id: ada.id, username: 'ada' }, app: { id: app.id, name: 'Kitchen "editor"' } });
            expect((await changesOf(await write(ada, await ada.project())))[0]).to.include({ author: { id: ada.id, username: 'ada' }, app: null });
        });
    }

    it('of a removed project, once it is back', async () => {
        const project = await ada.project();
        await done(byApp.call('DELETE', project.url, {}));
        await done(ada.call('POST', `/users/me/trash/${await entryOf('project', project.id)}/restore`, {}));
        expect((await changesOf(project)).map((change) => change.app?.id ?? null)).to.equal([null, app.id, null]);
    });

    it('for each of many edits that are written together', async () => {
        const other = await registerApp(server, ada, { name: 'Other' });
        const authors = [byApp, ada, await through(ada, other)];
        const made = await Promise.all(Array.from({ length: 12 }, async () => {
            const project = await ada.project();
            return { project, element: await ada.element(project.page) };
        }));
        await Promise.all(made.map(({ element }, n) => done(authors[n % 3]?.call('PATCH', element.url, { styles: { left: n } }) ?? Promise.reject(new Error('Nobody')))));
        const named = await Promise.all(made.map(async ({ project }) => (await changesOf(project))[0].app?.name ?? null));
        expect(named).to.equal(made.map((_, n) => ['Kitchen "editor"', null, 'Other'][n % 3]));
    });

    it('and not for a personal token', async () => {
        const project = await ada.project();
        const { body: { token } } = await done(ada.call('POST', '/users/me/tokens', { label: 'A script', scope: ['projects'] }));
        await done(ada.call('PATCH', project.url, { title: 'By a script' }, { token: token.access_token }));
        expect((await changesOf(project))[0].app).to.be.null();
    });

    it('and not for what the previous release writes after it, which knows nothing of it', async () => {
        const project = await ada.project();
        await done(byApp.call('PATCH', project.url, { title: 'By an app' }));
        await db.raw(`
            update projects set title = 'Of 0.3', revision = revision + 1, written = 'title', change_revision = revision + 1, counted_revision = counted_revision + 1,
                changed_by = user_id, change_kind = 'edit', change_counts = '{1,0,0,0,0,0,0}', updated_at = now() where id = ?`, [project.id]);
        expect((await changesOf(project)).map((change) => change.app?.id ?? null)).to.equal([null, app.id, null]);
    });

    it('in an export, with a label, and no longer if it was deleted', async () => {
        const short = await registerApp(server, ada, { name: 'Short' });
        const project = await ada.project();
        await done((await through(ada, short)).call('PATCH', project.url, { title: 'By an app' }));
        const named = { id: short.id, name: 'Short' };
        expect((await ada.call('PUT', `${project.url}/history/2/label`, { label: 'Here' })).body.change).to.include({ label: 'Here', app: named });
        const { rawPayload } = await server.server.inject({ url: `${project.url}/export?history=true`, headers: { authorization: `token ${ada.token}` } });
        expect(JSON.parse(String((await unzip(rawPayload)).get('history.json'))).changes.map((change: Answer['body']) => change.app)).to.equal([null, named]);
        await done(ada.call('DELETE', `/users/me/apps/${short.id}`, {}));
        expect((await changesOf(project)).map((change) => change.app)).to.equal([null, null]);
    });
});
