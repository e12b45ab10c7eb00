import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { readConfig } from '../../../src/config';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const HOLD_AFTER = 3;
const PUPPETS = 200;

/** How an account lacks standing. */
const without = {
    'is young': { age: '6 days', outcomes: ['held'] },
    'has sent nothing that was decided': { age: '8 days', outcomes: [] },
    'was followed too seldom': { age: '8 days', outcomes: ['kept', 'kept', 'removed'] },
    'is managed by a class': { age: '8 days', outcomes: ['held'], publish: 'everybody' }
} as const;

for (const holdAfter of [null, HOLD_AFTER]) {
    describe(`where HOLD_AFTER is ${holdAfter ?? 'not set'}`, { timeout: 120_000 }, () => {
        let server: TestServer;
        let author: Author;
        let moderator: Author;
        let project: MadeProject;
        let serial = 700_000_000;

        before(async () => {
            server = await startTestServer({ config: { holdAfter, rateLimit: false } });
            author = await openAuthor(server);
            moderator = await openAuthor(server, undefined, { moderator: true });
        });

        beforeEach(async () => {
            project = await author.project({ title: 'Innocent' });
        });

        after(async () => {
            expect(server.faults).to.equal([]);
            await server.stop();
        });

        /** Opens an account of this age, of whose reports moderators have decided so. */
        const reporter = async ({ age = '8 days', outcomes = ['held', 'kept'], publish = null }: { age?: string; outcomes?: readonly string[]; publish?: string | null } = {}): Promise<Author> => {
            const one = await openAuthor(server);
            const { db } = server.database;
            await db.raw(`update users set created_at = now() - ?::interval, publish = ? where id = ?`, [age, publish, one.id]);
            for (const [n, outcome] of outcomes.entries()) {
                const id = String(++serial);
                // Of a project, or of a comment: both count.
                if (n % 2 === 0) {
                    await db.raw(`insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round) values (1, 'comment', ?, ?, 'spam', '', 0)`, [id, one.id]);
                    await db.raw(`insert into thing_report_queue (project_id, type, thing_id, round, outcomes) values (1, 'comment', ?, 1, array[?])`, [id, outcome]);
                }
                else {
                    const other = await author.project();
                    await db.raw(`insert into reports (project_id, user_id, reason, text, round) values (?, ?, 'spam', '', 0)`, [other.id, one.id]);
                    await db.raw('insert into report_queue (project_id, round, outcomes) values (?, 1, array[?])', [other.id, outcome]);
                }
            }

            return one;
        };

        const comment = async (): Promise<string> => {
            const id = String(++serial);
            await server.database.db.raw('insert into comments (project_id, id, user_id, text) values (?, ?, ?, ?)', [project.id, id, author.id, 'Innocent']);
            return id;
        };

        const paths = async (): Promise<string[]> => [`/projects/${project.id}`, `/comments/${await comment()}`];
        const report = (by: Author, path: string): Promise<Answer> => by.call('POST', `${path}/reports`, { reason: 'hurtful' });
        const isHeld = async (path: string): Promise<boolean> => {
            const { rows: [row] } = await server.database.db.raw(`select held_at is not null as held from ${path.startsWith('/projects') ? 'projects' : 'comments'} where id = ?`, [path.split('/')[2] ?? '']);
            return row.held;
        };

        const newest = async (): Promise<unknown[]> => {
            const { body: { entries: [{ moderator: by, act, target, reason }] } } = await moderator.call('GET', '/moderation/log?count=1');
            return [by, act, target.type, target.id, reason];
        };

        it(`leaves a project and a comment that ${PUPPETS} puppets report`, async () => {
            const { db } = server.database;
            const [ofProject, ofComment] = await paths();
            const { rows } = await db.raw(`insert into users (username, username_key, created_at) select 'p-' || n, 'p-' || n, now() - interval '1 month' from generate_series(${++serial}, ${serial + PUPPETS - 1}) n returning id`);
            await db.raw(`insert into tokens (user_id, hash, scope, expires_at) select id, sha256(convert_to('puppet' || lpad(id::text, 37, '0'), 'UTF8')), '{user,projects}', now() + interval '1 day' from unnest(?::bigint[]) id`, [rows.map(({ id }: { id: string }) => id)]);
            for (const { id } of rows) {
                const token = `puppet${String(id).padStart(37, '0')}`;
                for (const path of [ofProject, ofComment]) {
                    expect((await server.call('POST', `${path}/reports`, { reason: 'hurtful' }, { token })).status).to.equal(201);
                }
            }

            expect((await server.call('GET', project.url)).status).to.equal(200);
            expect(await Promise.all([isHeld(ofProject ?? ''), isHeld(ofComment ?? '')])).to.equal([false, false]);
            const { body: { reports } } = await moderator.call('GET', '/moderation/reports?count=100');
            expect(reports.filter(({ count }: { count: number }) => count === PUPPETS)).to.have.length(2);
        });

        if (holdAfter === null) {
            it('leaves what people of standing report', async () => {
                for (const path of await paths()) {
                    for (let n = 0; n < HOLD_AFTER + 1; ++n) {
                        expect((await report(await reporter(), path)).status).to.equal(201);
                    }

                    expect(await isHeld(path)).to.be.false();
                }
            });
            return;
        }

        it('holds what so many people of standing report, until a moderator keeps it', async () => {
            for (const path of await paths()) {
                const id = path.split('/')[2] ?? '';
                const people = await Promise.all(Array.from({ length: HOLD_AFTER }, () => reporter()));
                const [last, ...first] = people;
                for (const one of first) {
                    await report(one, path);
                    // Twice is once.
                    await report(one, path);
                    expect(await isHeld(path)).to.be.false();
                }

                await report(last ?? author, path);
                expect(await isHeld(path)).to.be.true();
                expect(await newest()).to.equal([null, 'hold', path.startsWith('/projects') ? 'project' : 'comment', id, 'Several people have reported this. A moderator will look at it.']);
                const { body: { reports } } = await moderator.call('GET', '/moderation/reports?count=100');
                expect(reports.filter((entry: Answer['body']) => entry[entry.kind].id === id).map(({ count, state }: Answer['body']) => [count, state])).to.equal([[HOLD_AFTER, 'open']]);

                expect((await moderator.call('PATCH', `/moderation/reports/${path.startsWith('/projects') ? '' : 'comments/'}${id}`, { state: 'kept', note: 'Fine' })).status).to.equal(200);
                expect(await isHeld(path)).to.be.false();
                expect((await newest()).slice(1)).to.equal(['release', path.startsWith('/projects') ? 'project' : 'comment', id, 'Fine']);
                // Those reports are over: it takes as many again. Whoever was not followed has no standing any more.
                await report(await reporter(), path);
                expect(await isHeld(path)).to.be.false();
            }
        });

        it('holds it once if they report at once', async () => {
            const [path = ''] = await paths();
            const people = await Promise.all(Array.from({ length: HOLD_AFTER + 2 }, () => reporter()));
            const answers = await Promise.all(people.map((one) => report(one, path)));
            expect(answers.map(({ status }) => status).sort()).to.equal([201, 201, 201, 404, 404]);
            expect(await isHeld(path)).to.be.true();
            const { body: { entries } } = await moderator.call('GET', '/moderation/log?count=100');
            expect(entries.filter(({ act, target }: Answer['body']) => act === 'hold' && target.id === project.id)).to.have.length(1);
        });

        for (const [why, how] of Object.entries(without)) {
            it(`does not count who ${why}`, async () => {
                for (const path of await paths()) {
                    for (let n = 1; n < HOLD_AFTER; ++n) {
                        await report(await reporter(), path);
                    }

                    for (let n = 0; n < 2; ++n) {
                        expect((await report(await reporter(how), path)).status).to.equal(201);
                        expect(await isHeld(path)).to.be.false();
                    }
                }
            });
        }
    });
}

describe('HOLD_AFTER', () => {
    it('is a number from 2 on, or not set', () => {
        expect([readConfig({}).holdAfter, readConfig({ HOLD_AFTER: '2' }).holdAfter]).to.equal([null, 2]);
        for (const HOLD of ['1', '0', 'x', '2.5']) {
            expect(() => readConfig({ HOLD_AFTER: HOLD })).to.throw(/HOLD_AFTER/);
        }
    });
});
