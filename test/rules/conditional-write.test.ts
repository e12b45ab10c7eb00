import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { drawing } from '../support/files';
import { openAuthor, startWhileLocked, waiting } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { notInShards } from '../support/on-cluster';
import { PASSWORD, startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a write that waits for another one', () => {
    let server: TestServer;
    let moderator: Author;
    /** Another instance. What is heavy waits for its turn within one instance, and so never for the lock there. */
    let elsewhere: TestServer;
    let ada: Author;
    let eve: Author;
    let project: MadeProject;
    let source: MadeProject;
    let element: Made;

    before(async () => {
        server = await startTestServer();
        elsewhere = await startTestServer({ database: server.database });
        moderator = await openAuthor(server, 'mod', { moderator: true });
        eve = await openAuthor(server, 'eve');
        source = await eve.project();
    });

    beforeEach(async () => {
        ada = await openAuthor(server);
        project = await ada.project();
        element = await ada.element(project.page);
    });

    after(async () => {
        await elsewhere.stop();
        await server.stop();
    });

    const holding = (table: 'projects' | 'users', jobs: readonly (() => Promise<Answer>)[], meanwhile?: (trx: Knex.Transaction) => Promise<void>): Promise<Answer[]> => {
        return startWhileLocked(server, [table, table === 'users' ? ada.id : project.id], jobs, meanwhile);
    };

    const writes = {
        'PATCH of the account': () => ada.call('PATCH', `/users/${ada.id}`, { language: 'de' }),
        'DELETE of the account': () => ada.call('DELETE', `/users/${ada.id}`),
        'POST of a project': () => ada.call('POST', `/users/${ada.id}/projects`, { title: 'late' }),
        'POST of a remix of another\'s': () => ada.call('POST', `${source.url}/remixes`),
        'PATCH of the project': () => ada.call('PATCH', project.url, { title: 'late' }),
        'DELETE of the project': () => ada.call('DELETE', project.url),
        'PATCH of its being featured': () => moderator.call('PATCH', `${project.url}/feature`, { featured: true }),
        'POST of a remix': () => eve.call('POST', `${project.url}/remixes`),
        'POST of a page': () => ada.call('POST', `${project.url}/pages`, { x: 1, y: 1 }),
        'PATCH of the page': () => ada.call('PATCH', project.page.url, { x: 1 }),
        'DELETE of the page': () => ada.call('DELETE', project.page.url),
        'POST of an element': () => ada.call('POST', `${project.page.url}/elements`, { type: 'late' }),
        'PATCH of the element': () => ada.call('PATCH', element.url, { styles: {} }),
        'DELETE of the element': () => ada.call('DELETE', element.url)
    } satisfies Record<string, () => Promise<Answer>>;

    const deletions: { of: 'account' | 'project' | 'page' | 'element'; table: 'projects' | 'users'; then: (keyof typeof writes)[] }[] = [
        { of: 'account', table: 'users', then: ['PATCH of the account', 'DELETE of the account', 'POST of a project', 'POST of a remix of another\'s', 'PATCH of its being featured'] },
        {
            of: 'project', table: 'projects', then: [
                'PATCH of the project', 'DELETE of the project', 'PATCH of its being featured', 'POST of a remix', 'POST of a page', 'PATCH of the page', 'DELETE of the page',
                'POST of an element', 'PATCH of the element', 'DELETE of the element'
            ]
        },
        { of: 'page', table: 'projects', then: ['PATCH of the page', 'DELETE of the page'] },
        { of: 'element', table: 'projects', then: ['PATCH of the element', 'DELETE of the element'] }
    ];
    for (const { of, table, then } of deletions) {
        for (const second of then) {
            const isCreation = of === 'account' && !second.endsWith('the account');
            it(`which deletes the ${of}: it is gone for the ${second}`, isCreation ? notInShards('it may still come first, and what it made goes with the account') : {}, async () => {
                const [deleted, late] = await holding(table, [writes[`DELETE of the ${of}`], writes[second]]);
                expect(deleted?.status, deleted?.text).to.equal(200);
                // The end of an account ends its tokens, too.
                expect(late?.body, late?.text).to.include(second === 'DELETE of the account' ? { statusCode: 401, code: 'invalid_token' } : { statusCode: 404, code: 'not_found' });
            });
        }
    }

    const byMember = {
        'PATCH of the project': [() => eve.call('PATCH', project.url, { title: 'late' })],
        'PUT of its thumbnail': [() => eve.call('PUT', `${project.url}/thumbnail`, drawing(), { headers: { 'content-type': 'image/svg+xml' } })],
        'POST of a page': [() => eve.call('POST', `${project.url}/pages`, { x: 1, y: 1 })],
        'PATCH of the page': [() => eve.call('PATCH', project.page.url, { x: 1 })],
        'PATCH of the page, merged': [() => eve.call('PATCH', project.page.url, { x: 1, revision: 1, merge: true })],
        'DELETE of the page': [() => eve.call('DELETE', project.page.url)],
        'POST of an element': [() => eve.call('POST', `${project.page.url}/elements`, { type: 'late' })],
        'PATCH of the element': [() => eve.call('PATCH', element.url, { styles: {} })],
        'DELETE of the element': [() => eve.call('DELETE', element.url)],
        'bulk that changes the element': [() => eve.bulk([{ type: 'elements', method: 'update', data: { id: element.id, styles: {} } }])],
        'bulk that makes a page': [() => eve.bulk([{ type: 'pages', method: 'create', data: { projectId: project.id, x: 1, y: 1 } }])],
        'label of a point': [() => eve.call('PUT', `${project.url}/history/1/label`, { label: 'late' })],
        'restore of a point': [() => elsewhere.call('POST', `${project.url}/history/1/restore`, {}, { token: eve.token })],
        'undo of a change': [() => elsewhere.call('POST', `${project.url}/history/2/undo`, {}, { token: eve.token })],
        // A viewer may do this.
        'POST of a remix': [() => eve.call('POST', `${project.url}/remixes`), 201]
    } satisfies Record<string, [job: () => Promise<Answer>, asViewer?: number]>;

    const removals: readonly string[] = ['DELETE of the page', 'DELETE of the element'] satisfies (keyof typeof byMember)[];
    for (const [what, [job, asViewer = 403]] of Object.entries(byMember)) {
        const stored = async (): Promise<unknown> => {
            const { rows } = await server.database.db.raw(`
                select p.revision, p.title, (select string_agg(label, ',') from project_changes c where c.project_id = p.id) as labels,
                    (select count(*) from projects r where r.remixed_from = p.id) as remixes from projects p where id = ?`, [project.id]);
            return rows[0];
        };

        /** Sends the write while its sender, an editor, is made a viewer or removed, and looks whether it was rejected. */
        const write = async (change: () => Promise<Answer>, status: number): Promise<void> => {
            await ada.call('PUT', `${project.url}/members/${eve.username}`, { role: 'editor' });
            const then = await stored();
            const [changed, late] = await holding('projects', [change, job]);
            expect(changed?.status, changed?.text).to.equal(200);
            expect(late?.status, late?.text).to.equal(status);
            if (status >= 400) {
                expect(await stored()).to.equal(then);
            }
        };

        it(`which removes the member whose turn is next, or makes them a viewer: ${what}`, async () => {
            const member = `${project.url}/members/${eve.username}`;
            await ada.call('PATCH', project.url, { visibility: 'private' });
            await write(() => ada.call('PUT', member, { role: 'viewer' }), asViewer);
            await write(() => ada.call('DELETE', member), 404);
        });

        // A moderator may read it, and remove what is in it, but not remix it.
        it(`which removes the member whose turn is next, who is a moderator too: ${what}`, async () => {
            await ada.call('PATCH', project.url, { visibility: 'private' });
            await server.database.db.raw('update users set moderator = true where id = ?', [eve.id]);
            try {
                await write(() => ada.call('DELETE', `${project.url}/members/${eve.username}`), removals.includes(what) ? 200 : 403);
            }
            finally {
                await server.database.db.raw('update users set moderator = false where id = ?', [eve.id]);
            }
        });
    }

    it('which deletes the account: the password is not changed', async () => {
        const change = (): Promise<Answer> => ada.call('PUT', `/users/${ada.id}/password`, { current_password: PASSWORD, password: 'another one' });
        const [deleted, late] = await holding('users', [writes['DELETE of the account'], change]);
        expect(deleted?.status, deleted?.text).to.equal(200);
        expect(late?.body, late?.text).to.include({ statusCode: 403, code: 'wrong_password' });
    });

    for (const below of ['POST of a page', 'PATCH of the page', 'DELETE of the page', 'POST of an element', 'PATCH of the element', 'DELETE of the element'] as const) {
        it(`under its project holds nothing below it meanwhile: ${below}`, async () => {
            const [answer] = await holding('projects', [writes[below]], async (trx) => {
                await trx.raw('select from pages where project_id = ? for update nowait', [project.id]);
                await trx.raw('select from elements where id = ? for update nowait', [element.id]);
            });
            expect([200, 201], answer?.text).to.include(answer?.status);
        });
    }

    it('does not wait for writes to other projects or accounts', async () => {
        await server.database.db.transaction(async (trx) => {
            await trx.raw('select from projects where id = ? for no key update', [source.id]);
            await trx.raw('select from users where id = ? for no key update', [eve.id]);
            const { 'POST of a remix': _eve, 'POST of a remix of another\'s': _source, 'DELETE of the account': leave, ...others } = writes;
            const deletes = Object.entries(others).reverse().filter(([name]) => name.startsWith('DELETE'));
            const merged = (): Promise<Answer> => ada.call('PATCH', project.page.url, { styles: { top: 1 }, revision: 1, merge: true });
            const jobs = [...Object.entries(others).filter(([name]) => !name.startsWith('DELETE')), ['PATCH of the page, merged', merged] as const, ...deletes, ['DELETE of the account', leave] as const];
            for (const [name, job] of jobs) {
                let done = false;
                const answer = job().finally(() => {
                    done = true;
                });
                while (!done) {
                    expect(await waiting(server), name).to.equal(0);
                    await sleep(1);
                }

                expect([200, 201], name).to.include((await answer).status);
            }
        });
    });

    it('logs no error', () => {
        expect(server.faults).to.equal([]);
    });
});
