import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { count, openAuthor, waiting } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

describe('a write that conflicts with another one', notOnCluster('each node has its own count of tries, and Citus ends deadlocks between nodes without counting them'), () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;
    let element: Made;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
        element = await ada.element(project.page);
    });

    after(() => server.stop());

    afterEach(() => server.database.db.raw('drop trigger if exists projects_refused on projects'));

    /** Makes a number of writes to projects fail, as after a deadlock. A sequence counts them, since it is not rolled back. */
    const refuse = async (times: number, state: string): Promise<void> => {
        await server.database.db.raw(`
            drop sequence if exists tries;
            create sequence tries;
            create or replace function projects_refused() returns trigger language plpgsql as $$
            begin
                if nextval('tries') <= ${times} then
                    raise exception 'in the way' using errcode = '${state}';
                end if;
                return new;
            end $$;
            create or replace trigger projects_refused before insert or update on projects for each row execute function projects_refused();
        `);
    };

    const tries = async (): Promise<number> => {
        const { rows } = await server.database.db.raw('select last_value from tries');
        return Number(rows[0].last_value);
    };

    const writes: [string, () => Promise<Answer>, number][] = [
        ['one statement', () => ada.call('PATCH', project.url, { title: 'Again' }), 200],
        ['gathered edits', () => ada.call('PATCH', element.url, { styles: { left: 1 } }), 200],
        ['a transaction', () => ada.call('PATCH', project.page.url, { x: 7 }), 200],
        ['a bulk', () => ada.bulk([{ type: 'projects', method: 'create', data: { title: 'New' } }, { type: 'pages', method: 'create', data: { projectId: '$0.id', x: 1, y: 1 } }]), 200],
        ['a bulk with a key', () => ada.call('POST', `/users/${ada.id}/bulk`, { actions: [{ type: 'projects', method: 'create', data: { title: 'New' } }] }, { headers: { 'idempotency-key': randomUUID() } }), 200],
        ['a remix', () => ada.call('POST', `${project.url}/remixes`), 201]
    ];

    for (const [name, write, status] of writes) {
        it(`is retried, and done once: ${name}`, async () => {
            const there = await count(server, 'from projects');
            const made = /bulk|remix/.test(name) ? 1 : 0;
            for (const state of ['40001', '40P01']) {
                await refuse(3, state);
                expect((await write()).status).to.equal(status);
                expect(await tries()).to.equal(4);
            }

            expect(await count(server, 'from projects')).to.equal(there + 2 * made);
            expect(server.faults).to.equal([]);
        });

        it(`fails after four tries: ${name}`, async () => {
            const there = await count(server, 'from projects');
            await refuse(4, '40P01');
            const { body, headers } = await write();
            expect(body).to.include({ statusCode: 503, code: 'try_again' });
            expect(headers['retry-after']).to.equal('1');
            expect(await tries()).to.equal(4);
            expect(await count(server, 'from projects')).to.equal(there);
        });
    }

    it('is not retried if it failed for another reason', async () => {
        await refuse(1, '23514');
        expect((await ada.call('PATCH', project.url, { title: 'Again' })).status).to.equal(500);
        expect(await tries()).to.equal(1);
        server.faults.length = 0;
    });

    it('succeeds, and so does the other one, after a deadlock', async () => {
        const ben = await openAuthor(server, 'ben');
        const [a, b, held, alsoHeld] = [await ada.project(), await ada.project(), await ada.project(), await ada.project()];
        /** Deletes remixes of these projects, whose counters are written in this order. */
        const removal = async (author: Author, sources: MadeProject[]): Promise<() => Promise<Answer>> => {
            const remixes: string[] = [];
            for (const source of sources) {
                remixes.push((await author.remix(source)).id);
            }

            return () => author.bulk(remixes.map((id) => ({ type: 'projects', method: 'remove', data: { id } })));
        };

        const removals = [await removal(ada, [a, held, b]), await removal(ben, [b, alsoHeld, a])];

        // Each pauses after its first counter, which the other one writes last.
        const { db } = server.database;
        const trx = await db.transaction();
        await trx.raw('select from project_stats where project_id = any(?) for update', [[held.id, alsoHeld.id]]);
        const answers = removals.map((remove) => remove());
        while (await waiting(server) < 2) {
            await sleep(10);
        }

        await trx.commit();
        expect((await Promise.all(answers)).map(({ status }) => status)).to.equal([200, 200]);

        // There was a deadlock. PostgreSQL reports its counters when a session has been idle for a while.
        while (await count(server, 'from pg_stat_database where datname = current_database() and deadlocks > 0') === 0) {
            await sleep(10);
        }

        const { rows } = await db.raw('select remixes::int from project_stats where project_id = any(?)', [[a.id, b.id, held.id, alsoHeld.id]]);
        expect(rows).to.equal([{ remixes: 0 }, { remixes: 0 }, { remixes: 0 }, { remixes: 0 }]);
        expect(server.faults).to.equal([]);
    });
});
