import { randomUUID } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { defined } from '../../../src/api/errors/defined';
import { namesIn, routes, typeOf, urlOf } from '../../routes/index';
import type { Row } from '../../routes/index';
import { drawing, hashOf } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { StatementCast } from './cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a moderator\'s own decision, and one about them', () => {
    let server: TestServer;
    let cast: StatementCast;
    let ids: Readonly<Record<string, string>>;
    let others: Readonly<Record<string, string>>;
    /** All that the description says can be written, so that no later route is forgotten. */
    let writes: readonly Row[];

    before(async () => {
        server = await startTestServer();
        const { body: { paths } } = await server.call('GET', '/openapi.json');
        writes = Object.entries<object>(paths).flatMap(([path, methods]) => Object.keys(methods).filter((method) => method !== 'get').map((method) => {
            return defined(routes.find(({ key }) => key === `${method.toUpperCase()} ${path}`));
        }));
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    /** A picture that is blocked, a project that is held, with a page that was removed, and appeals against all; another one, a comment and their author are reported. */
    const begin = async (): Promise<void> => {
        cast = await StatementCast.open(server);
        const { author, moderator, project, reader } = cast;
        // Of drawings, no near copies are blocked.
        const bytes = drawing(`<!-- ${randomUUID()} -->`);
        const hash = hashOf(bytes);
        expect((await author.call('PUT', `/users/${author.id}/assets/${hash}`, bytes, { headers: { 'content-type': 'image/svg+xml' } })).status).to.equal(201);
        expect((await moderator.call('PUT', `/moderation/assets/${hash}`, { reason: 'A portrait' })).status).to.equal(200);
        const page = await author.page(project, { x: 7, y: 7 });
        const made = (await author.call('GET', `${project.url}/history`)).body.changes[0].revision;
        await moderator.call('DELETE', page.url);
        const removed = (await author.call('GET', `${project.url}/history`)).body.changes[0].revision;
        await cast.hold();
        const stated = await cast.statements();
        expect(stated.map(({ type }) => type)).to.equal(['project', 'page', 'picture']);
        for (const one of stated) {
            expect((await cast.appeal(one)).status).to.equal(201);
        }

        const other = await author.project();
        const { comment } = (await author.call('POST', `${other.url}/comments`, { text: 'x' })).body;
        for (const path of [`/projects/${other.id}`, `/comments/${comment.id}`, `/users/${author.id}`]) {
            expect((await reader.call('POST', `${path}/reports`, { reason: 'spam' })).status).to.equal(201);
        }

        ids = {
            user: author.id, username: author.username, owner: author.username, project: project.id, page: page.id, statement: stated[0].id, entry: await cast.entry('page', page.id),
            revision: String(made), permission: 'moderator', sha256: hash, comment: comment.id, serial: project.id
        };
        others = { ...ids, project: other.id, statement: stated[1].id, revision: String(removed) };
    };

    beforeEach(begin);

    /** Whether something holds in the database. */
    const holds = async (condition: string, values: readonly string[]): Promise<boolean> => (await server.database.db.raw(`select ${condition} as holds`, values)).rows[0].holds;

    /** Whether the decisions stand, and nobody has decided on the appeals. */
    const stand = (): Promise<boolean> => holds(`exists (select from blocked_pictures b where b.hash = ?)
        and (select p.held_at is not null from projects p where p.id = ?) and not exists (select from pages g where g.id = ? and g.deleted_at is null)
        and not exists (select from statements s where s.user_id = ? and s.outcome is not null)`, [ids.sha256 ?? '', ids.project ?? '', ids.page ?? '', cast.author.id]);

    /** Whether the reports are open. */
    const areOpen = (): Promise<boolean> => holds(`(select q.open from report_queue q where q.project_id = ?) and
        2 = (select count(*) from thing_report_queue q where q.open and (q.type, q.thing_id) in (('comment', ?), ('user', ?)))`, [others.project ?? '', ids.comment ?? '', cast.author.id]);

    /** Whether all is there still of which a decision could be taken back, and whoever could. */
    const isThere = (by: string): Promise<boolean> => holds(`(select count(*) = 2 from projects p where p.id in (?, ?) and p.deleted_at is null)
        and exists (select from trash t where t.id = ?) and exists (select from comments k where k.id = ? and k.removed_at is null)
        and (select bool_and(exists (select from tokens t where t.user_id = u.id) and u.deleted_at is null and (u.id <> ? or u.moderator and u.staff)) from users u where u.id in (?, ?))`,
    [ids.project ?? '', others.project ?? '', ids.entry ?? '', ids.comment ?? '', by, by, cast.author.id]);

    /**
     * Sends to each of these routes what could take a decision back, and says which of them did.
     * @param isOnly whether the sender is the only moderator
     */
    async function tryAll(who: 'author' | 'moderator', isWrong: () => Promise<boolean>, isOnly = false): Promise<string[]> {
        const done: string[] = [];
        const permit = async (): Promise<void> => {
            await server.database.db.raw('update users set moderator = id = ? or moderator and not ?, staff = id = ? where id in (?, ?, ?)', [
                cast[who].id, isOnly, cast[who].id, cast.author.id, cast.moderator.id, cast.other.id
            ]);
        };

        await permit();
        for (const row of writes) {
            const bodies = (named: typeof ids): object[] => (row.path.includes('/appeals/') ? [{ outcome: 'reversed', reason: 'x' }, { outcome: 'upheld', reason: 'x' }] : [row.body?.(named) ?? {}]);
            const urlFor = (named: typeof ids): string => urlOf(row, { ...Object.fromEntries(namesIn(row.path).map((name) => [name, '1'])), ...named });
            for (const named of urlFor(ids) === urlFor(others) ? [ids] : [ids, others]) {
                for (const body of bodies(named)) {
                    await cast[who].call(row.method, urlFor(named), body, { headers: typeOf(row.path, body) });
                }
            }

            const wrong = await isWrong();
            if (wrong) {
                done.push(row.key);
            }

            if (wrong || !await isThere(cast[who].id)) {
                await begin();
                await permit();
            }
        }

        return done;
    }

    it('is asked of all that can be written', () => {
        expect(writes.length).to.be.at.least(120);
        expect(writes.map(({ key }) => key)).to.include([
            'DELETE /moderation/projects/{project}/hold', 'POST /users/{user}/trash/{entry}/restore', 'PATCH /moderation/appeals/{statement}', 'PATCH /moderation/reports/users/{user}'
        ]);
    });

    it('is not taken back, and the appeal against it not decided, by any route by whoever decided', async () => {
        expect(await tryAll('moderator', async () => !await stand())).to.equal([]);
    });

    it('is not taken back by any route by the person concerned, if they are a moderator, nor are reports of theirs decided', async () => {
        expect(await tryAll('author', async () => !await stand() || !await areOpen())).to.equal([]);
    });

    it('is not taken back by any route by the person concerned, if they are the only moderator', async () => {
        expect(await tryAll('author', async () => !await stand(), true)).to.equal([]);
    });

    it('is for the only moderator beside the person concerned', async () => {
        await server.database.db.raw('update users set moderator = id <> ? and (moderator or id = ?) where id in (?, ?)', [cast.other.id, cast.author.id, cast.other.id, cast.author.id]);
        expect((await cast.answer({ id: ids.statement }, 'reversed', cast.moderator)).status).to.equal(200);
    });

    it('about a suspension is not taken back by the staff who decided it, where there is an appeal', async () => {
        await server.database.db.raw('update users set staff = true where id = ?', [cast.moderator.id]);
        const path = `/admin/users/${cast.author.id}/suspension`;
        expect((await cast.moderator.call('PUT', path, { reason: 'Spam' })).status).to.equal(200);
        const stated = await cast.newest();
        expect(stated).to.include({ decision: 'suspend', facts: 'own' });
        await cast.appeal(stated);
        expect((await cast.moderator.call('DELETE', path)).body.code).to.equal('own_decision');
        expect((await cast.unsuspend()).body.code).to.equal('own_decision');
        expect((await cast.answer(stated, 'reversed')).status).to.equal(200);
        expect((await cast.author.call('POST', '/users/me/projects', { title: 'x' })).status).to.equal(201);
    });
});
