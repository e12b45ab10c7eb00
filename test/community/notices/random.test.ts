import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { moveNotices } from '../../../src/community/notices/outbox';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Dice } from '../../support/dice';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const block = 'insert into blocks (user_id, blocked_id) select ?, ? on conflict do nothing';
const unblock = 'delete from blocks where user_id = ? and blocked_id = ?';
const keptOf = `
    select id::text, kind, project_id::text, by_ids::text[], things::text[], count from notices where user_id = ? order by notices.id desc`;

/** A notice as it is stored, and shown. */
interface Kept {
    id: string;
    kind: string;
    project_id: string;
    by_ids: string[];
    things: string[];
    count: number;
}

interface Shown {
    id: string;
    project: { id: string; title: string } | null;
    by: { id: string } | null;
    count: number;
}

const STEPS = Number(process.env.NOTICE_STEPS ?? 40);

describe('notices, whatever is done in whatever order', { timeout: 300_000 }, () => {
    let server: TestServer;
    let people: Author[];
    let mod: Author;

    before(async () => {
        server = await startTestServer();
        people = await Promise.all([openAuthor(server), openAuthor(server), openAuthor(server)]);
        mod = await openAuthor(server, undefined, { moderator: true });
    });

    after(() => server.stop());

    const rowsOf = async <Row>(sql: string, values: readonly string[]): Promise<Row[]> => (await server.database.db.raw(sql, values)).rows;

    it('are those of what one may read at that moment, and nothing else is counted', async () => {
        const seed = Number(process.env.NOTICE_SEED ?? Date.now() % 1e6);
        const dice = new Dice(seed);
        const pick = <Item>(all: readonly Item[]): Item => {
            const item = dice.pick(all);
            if (item === undefined) {
                throw new Error('There is nothing to pick');
            }

            return item;
        };

        const urls = new Map<string, [owner: Author, url: string]>();
        const add = (owner: Author, { id, url }: { id: string; url: string }): void => void urls.set(id, [owner, url]);
        for (const who of people) {
            add(who, await who.project({ title: 'First' }));
        }

        const acts: readonly ((who: Author) => Promise<unknown>)[] = [
            async (who) => {
                const [, [, url]] = pick([...urls]);
                const { status, body, headers } = await who.call('POST', `${url}/remixes`, {});
                return status === 201 && add(who, { id: body.project.id, url: String(headers.location) });
            },
            async (who) => add(who, await who.project({ visibility: pick(['public', 'unlisted', 'private']) })),
            () => {
                const [, [owner, url]] = pick([...urls]);
                return owner.call('PATCH', url, { visibility: pick(['public', 'unlisted', 'private']) });
            },
            (who) => {
                const [, [owner, url]] = pick([...urls]);
                return owner.call(pick(['PUT', 'PUT', 'DELETE']), `${url}/members/${who.username}`, { role: 'viewer' });
            },
            () => {
                const [id] = pick([...urls]);
                const hold = `/moderation/projects/${id}/hold`;
                return pick([true, false]) ? mod.call('PUT', hold, { reason: 'A look' }) : mod.call('DELETE', hold, {});
            },
            () => mod.call('PATCH', `${pick([...urls])[1][1]}/feature`, {}),
            (who) => {
                const other = pick(people.filter((one) => one !== who));
                return rowsOf(pick([block, unblock]), [who.id, other.id]);
            },
            () => {
                const [, [owner, url]] = pick([...urls]);
                return urls.size > 6 ? owner.call('DELETE', url) : Promise.resolve();
            }
        ];

        for (let step = 0; step < STEPS; ++step) {
            const what = `seed ${seed}, step ${step}`;
            await pick(acts)(pick(people));
            await moveNotices(server.database.db, false, new AbortController().signal);
            for (const who of people) {
                const { body: { notices, unread } } = await who.call('GET', '/users/me/notices?count=100');
                const readable = async (id: string): Promise<boolean> => {
                    const [, url = ''] = urls.get(id) ?? [];
                    return (await who.call('GET', url)).status === 200;
                };

                const blocks = await rowsOf<{ id: string }>('select blocked_id::text as id from blocks where user_id = ?', [who.id]);
                const blocked = blocks.map(({ id }) => id);
                const expected: [id: string, count: number][] = [];
                for (const { id, kind, project_id: project, by_ids: bys, things, count } of await rowsOf<Kept>(keptOf, [who.id])) {
                    // A decision is about one's own project, also if that is gone.
                    const may = kind === 'decision' || await readable(project);
                    const seen: string[] = [];
                    for (const [n, thing] of things.entries()) {
                        if (may && !blocked.includes(bys[n] ?? '') && (kind !== 'remix' || await readable(thing))) {
                            seen.push(thing);
                        }
                    }

                    if (seen.length > 0) {
                        // Of those before the last ones nobody knows who they were by.
                        expected.push([id, seen.length === things.length ? count : seen.length]);
                    }
                }

                expect(notices.map(({ id, count }: Shown) => [id, count]), what).to.equal(expected);
                expect([unread, notices.some(({ by }: Shown) => by !== null && blocked.includes(by.id))], what).to.equal([expected.length, false]);
            }
        }
    });
});
