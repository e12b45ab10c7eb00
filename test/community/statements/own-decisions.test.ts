import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { routes } from '../../routes/index';
import type { Row } from '../../routes/index';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';
import { StatementCast } from './cast';
import type { Statement } from './cast';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('a moderator\'s own decision, and one about them', () => {
    let server: TestServer;
    let cast: StatementCast;
    let page: { url: string; id: string };
    let ids: Readonly<Record<string, string>>;

    /** Routes that could take a decision back: all of moderators and of the staff, of the trash, and those that bring back what was there. */
    const takingBack: readonly Row[] = routes.filter(({ method, path }) => method !== 'GET' && /^\/(?:moderation|admin)\/|\/trash\/|\/restore|\/undo/.test(path) && !/\/password$|\/maintenance|\/admin\/users\/\{user\}$/.test(path));

    before(async () => {
        server = await startTestServer();
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    // A project that is held, with a page that was removed; the author has appealed against both.
    beforeEach(async () => {
        cast = await StatementCast.open(server);
        page = await cast.author.page(cast.project, { x: 7, y: 7 });
        const { body } = await cast.author.call('GET', `${cast.project.url}/history`);
        await cast.moderator.call('DELETE', page.url);
        await cast.hold();
        const [held, removed] = await cast.statements() as [Statement, Statement];
        for (const stated of [held, removed]) {
            expect((await cast.appeal(stated)).status).to.equal(201);
        }

        ids = {
            user: cast.author.id, username: cast.author.username, owner: cast.author.username, project: cast.project.id, page: page.id, statement: held.id, removed: removed.id,
            entry: await cast.entry('page', page.id), revision: String(body.changes[0].revision), serial: '1'
        };
    });

    const fill = (path: string, statement: string): string => path.replace(/\{(\w+)\}/g, (_all, name) => (name === 'statement' ? statement : ids[name] ?? '1'));

    /** Sends to each of these routes what could take a decision back, and says which of them did. */
    async function tryAll(by: Author): Promise<string[]> {
        const done: string[] = [];
        for (const { method, path, key, body } of takingBack.filter(({ method: sent, path: to }) => sent !== 'DELETE' || !/\/trash\//.test(to))) {
            for (const statement of [ids.statement, ids.removed]) {
                for (const sent of /appeals/.test(path) ? [{ outcome: 'reversed', reason: 'x' }, { outcome: 'upheld', reason: 'x' }] : [body?.(ids) ?? {}]) {
                    await by.call(method, fill(path, String(statement)), sent);
                }
            }

            const held = (await cast.author.call('GET', cast.project.url)).body.project.held !== undefined;
            const gone = (await cast.author.call('GET', page.url)).status === 404;
            const appeals = (await cast.statements()).filter(({ appeal }) => appeal !== null).map(({ appeal }) => appeal.outcome);
            if (!held || !gone || JSON.stringify(appeals) !== '[null,null]') {
                done.push(key);
            }
        }

        return done;
    }

    it('is known to these routes', () => {
        expect(takingBack.length).to.be.at.least(15);
        expect(takingBack.map(({ key }) => key)).to.include(['DELETE /moderation/projects/{project}/hold', 'POST /users/{user}/trash/{entry}/restore', 'PATCH /moderation/appeals/{statement}', 'PATCH /moderation/reports/{project}']);
    });

    it('is not taken back, and the appeal against it not decided, by any route by whoever decided', async () => {
        await server.database.db.raw('update users set staff = true where id = ?', [cast.moderator.id]);
        expect(await tryAll(cast.moderator)).to.equal([]);
    });

    it('is not taken back by any route by the person concerned, if they are a moderator', async () => {
        await server.database.db.raw('update users set moderator = true, staff = true where id = ?', [cast.author.id]);
        expect(await tryAll(cast.author)).to.equal([]);
        // Nor if there is no other moderator.
        await server.database.db.raw('update users set moderator = false where id in (?, ?)', [cast.moderator.id, cast.other.id]);
        expect(await tryAll(cast.author)).to.equal([]);
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
