import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Registry } from 'prom-client';

import { keepGauges } from '../../../src/operations/maintenance/metrics';
import { maintain, maintainHourly } from '../../../src/operations/maintenance/jobs';
import type { Keeping } from '../../../src/operations/maintenance/jobs';
import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { until } from '../../support/host';
import { shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const DAY = 24 * 3600;
const keeping = { historyDays: 30, historyMaxBytes: 256 * 1024 * 1024, trashDays: 30 };
const never = new AbortController().signal;

describe('the maintenance', () => {
    let server: TestServer;
    let author: Author;

    before(async () => {
        server = await startTestServer();
        author = await openAuthor(server);
    });

    after(() => server.stop());

    const run = (more: Partial<Keeping> = {}): Promise<boolean> => maintain(server.database.db, { ...keeping, assets: server.assets, ...more }, never, true);

    /** Makes everything that has happened in the database so much older. */
    const age = async (seconds: number): Promise<void> => {
        for (const [table, column] of [['project_changes', 'at'], ['trash', 'deleted_at'], ['projects', 'deleted_at'], ['pages', 'deleted_at'], ['elements', 'deleted_at'], ['users', 'deleted_at']]) {
            await server.database.db.raw(`update ${table} set ${column} = ${column} - make_interval(secs => ?)`, [seconds]);
        }

        await server.database.db.raw('delete from maintenance');
    };

    /** A project with an element that was changed some times, with a pause before each; and how it read after each. */
    async function written(pauses: readonly number[]): Promise<{ project: MadeProject; element: string; then: Map<number, object> }> {
        const project = await author.project();
        const { url: element } = await author.element(project.page);
        const then = new Map<number, object>();
        for (const [index, pause] of pauses.entries()) {
            await age(pause);
            await author.call('PATCH', element, { attributes: { text: `${index}` }, ...index % 2 === 0 && { styles: { left: index } } });
            const now = await shown(author, project.url);
            then.set(now.revision, { revision: now.revision, pages: now.pages });
        }

        return { project, element, then };
    }

    const read = (project: MadeProject, revision: number): Promise<Answer> => author.call('GET', `${project.url}/history/${revision}`);

    const pointsOf = async (project: MadeProject): Promise<[from: number, revision: number][]> => {
        const { body } = await author.call('GET', `${project.url}/history?count=100`);
        return body.changes.map((change: { from: number; revision: number }) => [change.from, change.revision]).reverse();
    };

    it('keeps one point of each day after 30 days, and those with a label; all of them read as before, and the chain has no gap', async () => {
        // Three on each of three days, one right after the other.
        const { project, then } = await written([0, 0, 0, DAY, 0, 0, DAY, 0, 0]);
        const revisions = [...then.keys()];
        expect((await author.call('PUT', `${project.url}/history/${revisions[3]}/label`, { label: 'Mine' })).status).to.equal(200);
        await run();
        expect((await pointsOf(project)).length).to.equal(11);

        await age(40 * DAY);
        await run();
        const kept = [2, 3, 5, 8].map((index) => Number(revisions[index]));
        expect(await pointsOf(project)).to.equal(kept.map((revision, index) => [kept[index - 1] ?? 0, revision]));
        for (const [revision, expected] of then) {
            const { status, body } = await read(project, revision);
            if (kept.includes(revision)) {
                expect({ revision: body.revision, pages: body.pages }).to.equal(expected);
            }
            else {
                expect(status).to.equal(410);
                expect(body.nearest).to.equal(kept.filter((one) => one < revision).at(-1) ?? null);
            }
        }

        const versions = await count(server, 'from versions where project_id = ? and type = \'element\'', [project.id]);
        expect(versions).to.be.below(9);
        expect(server.faults).to.equal([]);
    });

    it('keeps one point of each month after a year', async () => {
        const { project, then } = await written([0, 2 * DAY, 2 * DAY]);
        await age(500 * DAY);
        await run();
        // The three days may be in two months.
        expect((await pointsOf(project)).length).to.be.at.most(2);
        const last = Math.max(...then.keys());
        expect((await read(project, last)).body.pages).to.equal(Object(then.get(last)).pages);
    });

    it('removes the oldest points of a history that takes too much, but none with a label', async () => {
        const project = await author.project();
        const { url } = await author.element(project.page);
        for (let n = 0; n < 12; ++n) {
            await author.call('PATCH', url, { attributes: { incompressible: randomBytes(1500).toString('base64') } });
        }

        await author.call('PUT', `${project.url}/history/3/label`, { label: 'Early' });
        await run({ historyMaxBytes: 6000 });
        const points = (await pointsOf(project)).map(([, revision]) => revision);
        expect(points[0]).to.equal(3);
        expect(points.length).to.be.between(1, 10);
        expect(points.at(-1)).to.equal(14);
        expect((await read(project, 3)).status).to.equal(200);
    });

    it('empties the trash, but keeps what a point shows', async () => {
        const { project, element } = await written([0]);
        const [page, other] = [await author.page(project, { x: 1, y: 1 }), await author.page(project, { x: 2, y: 2 })];
        const labelled = (await shown(author, project.url)).revision;
        await author.call('PUT', `${project.url}/history/${labelled}/label`, { label: 'With both' });
        await author.element(other);
        for (const url of [page.url, element]) {
            expect((await author.call('DELETE', url, {})).status).to.equal(200);
        }

        const late = await author.element(other);
        await author.call('DELETE', late.url, {});
        await age(40 * DAY);
        await run();
        expect((await author.call('GET', `/users/${author.id}/trash`)).body.trash).to.equal([]);
        expect((await read(project, labelled)).body.pages.length).to.equal(3);
        expect(await count(server, 'from elements where id = ?', [late.id])).to.equal(0);
        expect((await author.call('GET', `${project.url}/changes?since=${labelled}`)).status).to.equal(410);
        expect((await author.call('GET', `${project.url}/changes?since=0`)).status).to.equal(200);
    });

    it('empties a trash of more entries than it looks at at once', async () => {
        const project = await author.project();
        const { id: pageId } = project.page;
        const bulk = async (actions: object[]): Promise<{ id: string }[]> => {
            const { status, body } = await author.call('POST', `/users/${author.id}/bulk`, { actions });
            expect(status).to.equal(200);
            return body.results;
        };

        const made = await bulk(Array.from({ length: 700 }, () => ({ type: 'elements', method: 'create', data: { pageId, type: 'text' } })));
        await bulk(made.map(({ id }) => ({ type: 'elements', method: 'remove', data: { id } })));
        expect(await count(server, 'from trash where project_id = ?', [project.id])).to.equal(700);
        await age(40 * DAY);
        await run();
        expect(await count(server, 'from trash where project_id = ?', [project.id])).to.equal(0);
    });

    it('purges accounts with their histories', async () => {
        const leaving = await openAuthor(server);
        const project = await leaving.project();
        await leaving.call('PATCH', project.url, { title: 'Another' });
        await server.call('DELETE', `/users/${leaving.id}`, {}, { token: leaving.token });
        await run();
        expect(await count(server, 'from projects where id = ?', [project.id])).to.equal(1);
        await age(40 * DAY);
        await run();
        for (const table of ['projects where id', 'versions where project_id', 'project_changes where project_id', 'users where id']) {
            expect(await count(server, `from ${table} = ?`, [table.startsWith('users') ? leaving.id : project.id])).to.equal(0);
        }
    });

    it('deletes what is of no use any more, and leaves a project to its writer', async () => {
        const { db } = server.database;
        await openAuthor(server);
        await db.raw(`update tokens set expires_at = now() - interval '1 day' where id = (select max(id) from tokens)`);
        const { project, then } = await written([0, 0]);
        await age(40 * DAY);
        const trx = await db.transaction();
        await trx.raw('select from projects where id = ? for update', [project.id]);
        await run();
        await trx.rollback();
        expect(await count(server, 'from tokens where expires_at < now()')).to.equal(0);
        expect((await pointsOf(project)).length).to.equal(then.size + 2);
    });

    const warnings: string[] = [];
    const logger = { warn: (_line: unknown, message?: string): void => void warnings.push(String(message)) };

    it('is looked after each minute, and is tried again after an error, when its lease has ended', async () => {
        const { db } = server.database;
        await db.raw('delete from maintenance; alter table mails rename to mails_away');
        const end = maintainHourly(db, { ...keeping, assets: server.assets }, logger, 20);
        await until(() => warnings.length > 0);
        await db.raw('alter table mails_away rename to mails');
        expect(await count(server, 'from maintenance where claimed_until > now() and due_at <= now()')).to.equal(1);
        await db.raw('update maintenance set claimed_until = now()');
        await until(async () => await count(server, 'from maintenance where due_at > now()') === 1);
        await end();
        expect(warnings).to.have.length(1);
        expect(String(warnings[0])).to.startWith('the maintenance failed, and is tried again: ');
        await end();
    });

    it('is measured, also after an error', async () => {
        const { db } = server.database;
        const registry = new Registry();
        warnings.length = 0;
        await db.raw('alter table mails rename to mails_away');
        const end = keepGauges(registry, db, logger, 20);
        await until(() => warnings.length > 0);
        await db.raw('alter table mails_away rename to mails');
        await until(async () => Number((await registry.getSingleMetric('history_bytes')?.get())?.values[0]?.value) > 0);
        await end();
        expect(String(warnings[0])).to.startWith('the database could not be measured, and is measured again: ');
    });

    it('is done by one instance, and once an hour', async () => {
        const { db } = server.database;
        await db.raw('delete from maintenance');
        const done = await Promise.all([1, 2, 3].map(() => maintain(db, { ...keeping, assets: server.assets }, never)));
        expect(done.filter(Boolean).length).to.equal(1);
        expect(await maintain(db, { ...keeping, assets: server.assets }, never)).to.be.false();
        await db.raw(`update maintenance set due_at = now() - interval '1 second'`);
        expect(await maintain(db, { ...keeping, assets: server.assets }, AbortSignal.abort())).to.be.false();
        await db.raw(`update maintenance set claimed_until = now() - interval '1 second'`);
        expect(await maintain(db, { ...keeping, assets: server.assets }, never)).to.be.true();
    });
});
