import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_ASSIGNMENTS, MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE, MAX_CHEAP_BYTES, MAX_CLASSES, MAX_CLASS_DEVICES, MAX_CLASS_TITLE, MAX_HAND_INS, MAX_LISTED_TEXT, MAX_NOTE, MAX_PUPILS, MAX_PUPIL_NAME } from '../../src/limits';
import { routes } from '../routes/index';
import { Cast } from '../support/cast';
import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** A letter of four bytes, as text that people write can be. */
const letters = (count: number): string => '𝔞'.repeat(count);

describe('lists of classes', () => {
    let server: TestServer;
    let cast: Cast;
    let ada: Actor;
    let ben: Actor;
    /** the addresses of a class and an assignment with data at every limit */
    let at: Record<string, string>;

    const call = (who: Actor, method: string, url: string): Promise<Answer> => server.call(method, url, undefined, { token: who.token });

    before(async () => {
        server = await startTestServer();
        cast = new Cast(server);
        [ada, ben] = [await cast.teacher(), await cast.actor()];
        const { db } = server.database;
        await db.raw(`
            with made as (insert into classes (title, publish, comments, code) select ?, 'class', true, '22222222' || translate(lpad(n::text, 4, '0'), '0123456789', 'bcdfghjkmn') from generate_series(1, ${MAX_CLASSES}) n returning id as made)
            insert into class_people (class_id, user_id, role) select made, u.id, u.role from made, (values (?::bigint, 'teacher'), (?::bigint, 'pupil')) u (id, role)`, [letters(MAX_CLASS_TITLE), ada.id, ben.id]);
        const { rows: [{ id }] } = await db.raw('select min(id) as id from classes');
        await db.raw(`
            with u as (insert into users (username, issuer, subject) select 'pupil-' || n, 'https://elsewhere.example', n from generate_series(2, ${MAX_PUPILS}) n returning id)
            insert into class_people (class_id, user_id, role, name) select ?, id, 'pupil', ? from u`, [id, letters(MAX_PUPIL_NAME)]);
        await db.raw(`insert into assignments (class_id, title, text, due_at) select ?, ?, ?, now() from generate_series(1, ${MAX_ASSIGNMENTS})`, [id, letters(MAX_ASSIGNMENT_TITLE), letters(MAX_ASSIGNMENT_TEXT)]);
        await db.raw(`
            insert into works (assignment_id, user_id, project_id, state, points, handed_in_at, note)
            select a.id, k.user_id, 1e15, 'returned', (select array_agg(1000000 + n) from generate_series(1, ${MAX_HAND_INS}) n), now(), ?
            from assignments a, class_people k where k.class_id = ? and k.role = 'pupil' and (k.user_id = ? or a.id = (select max(id) from assignments))`, [letters(MAX_NOTE), id, ben.id]);
        await db.raw(`insert into class_devices (class_id, hash, label) select ?, sha256(n::text::bytea), ? from generate_series(1, ${MAX_CLASS_DEVICES}) n`, [id, letters(100)]);
        // Works of those who have left, and of accounts that are gone for good.
        await db.raw(`delete from class_people where class_id = ? and user_id in (select user_id from class_people where class_id = ? and role = 'pupil' and user_id <> ? order by user_id limit 3)`, [id, id, ben.id]);
        await db.raw(`insert into works (assignment_id, state) select a.id, 'started' from (select max(id) as id from assignments) a, generate_series(1, 3)`);
        const { rows: [{ newest }] } = await db.raw('select max(id) as newest from assignments');
        at = { '{class_id}': id, '{assignment}': newest, '{user}': 'me' };
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const listed = ['/users/{user}/classes', '/classes/{class_id}/assignments', '/classes/{class_id}/assignments/{assignment}/work'];
    const addressOf = (path: string): string => path.replaceAll(/\{\w+\}/g, (name) => String(at[name]));
    const itemsOf = ({ body: { status: _status, next: _next, ...lists } }: Answer): Record<string, Record<string, string | null>>[] => Object.values<[]>(lists).flat();

    it('are paged, and have everything once, in the same order whatever their count', async () => {
        for (const path of listed) {
            for (const who of [ada, ben]) {
                const all = async (count: string): Promise<string[]> => {
                    const found: string[] = [];
                    for (let next = ''; ;) {
                        const answer = await call(who, 'GET', `${addressOf(path)}?${count}${next}`);
                        expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
                        found.push(...itemsOf(answer).map((item) => JSON.stringify(item)));
                        if (answer.body.next === null) {
                            expect(answer.headers.link).to.be.undefined();
                            return found;
                        }

                        expect(answer.headers.link).to.contain(`after=${answer.body.next}`);
                        next = `&after=${answer.body.next}`;
                    }
                };

                const found = await all('count=100');
                expect(new Set(found).size, path).to.equal(found.length);
                expect(await all('count=7'), path).to.equal(found);
                const works = who === ada ? MAX_PUPILS + 3 : 1;
                expect(found.length, path).to.equal(path.endsWith('work') ? works : path.endsWith('assignments') ? MAX_ASSIGNMENTS : MAX_CLASSES);
            }

            expect(itemsOf(await call(ada, 'GET', addressOf(path))).length, path).to.be.below(11);
            for (const query of ['count=0', 'count=101', 'after=x', 'page=1']) {
                expect((await call(ada, 'GET', `${addressOf(path)}?${query}`)).body.code, query).to.equal('validation_failed');
            }
        }
    });

    it('have the beginning of long texts, of which the assignment has all', async () => {
        const { body: { assignments: [{ assignment, more, counts }] } } = await call(ada, 'GET', `${addressOf('/classes/{class_id}/assignments')}?count=1`);
        expect([assignment.text, more]).to.equal([letters(MAX_LISTED_TEXT), true]);
        const whole = await call(ada, 'GET', addressOf('/classes/{class_id}/assignments/{assignment}'));
        expect(whole.body).to.equal({ status: 'success', assignment: { ...assignment, text: letters(MAX_ASSIGNMENT_TEXT) }, counts });
        expect((await call(ben, 'GET', addressOf('/classes/{class_id}/assignments/{assignment}'))).body.work).to.include({ user_id: ben.id, note: letters(MAX_NOTE) });
        expect((await call(await cast.actor(), 'GET', addressOf('/classes/{class_id}/assignments/{assignment}'))).status).to.equal(404);
    });

    it('and all else of a class that is cheap to read is bounded in bytes, with data at every limit', async () => {
        const cheap = routes.filter(({ key, cost }) => cost === 'cheap' && /^GET \/(?:classes|users\/\{user\}\/classes)/.test(key) && !key.endsWith('events')).map(({ path }) => path);
        expect(cheap).to.include(listed);
        for (const path of cheap) {
            for (const who of [ada, ben]) {
                const answer = await call(who, 'GET', `${addressOf(path)}${listed.includes(path) ? '?count=100' : ''}`);
                const expected = who === ben && path.endsWith('/devices') ? 403 : 200;
                expect([path, answer.status, Buffer.byteLength(answer.text) <= MAX_CHEAP_BYTES]).to.equal([path, expected, true]);
                const { status, text } = await call(who, 'HEAD', addressOf(path));
                expect([status, text]).to.equal([expected, '']);
            }
        }
    });
});
