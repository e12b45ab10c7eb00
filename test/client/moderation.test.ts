import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { run } from '../../src/operations/cli/main';
import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { fakeHost } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client of a moderator', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`decides about reports, holds, suspends, and reads the log, in ${host}`, async () => {
            const [author, reader, moderator] = [await openAuthor(on.test), await openAuthor(on.test), await openAuthor(on.test)];
            const admin = fakeHost({ DATA_DIR: on.test.dataDir });
            expect(await run(['grant', moderator.username, 'moderator'], admin), admin.err).to.equal(0);
            const project = await author.project({ title: 'One' });
            const given = { sessions: [author, reader, moderator].map(sessionOf), project: { id: project.id, user_id: author.id }, user: { id: author.id } };
            const told = await on.run(host, given, async ({ pagewright, url, given: { sessions, project: place, user } }) => {
                const [by, from, staff] = sessions.map((session) => {
                    const client = pagewright.createClient(url);
                    client.signInWith(session);
                    return client;
                });
                const caught = (error: unknown): unknown => error instanceof pagewright.PagewrightError && [error.status, error.code, error.suspension];
                const first = await from?.report(place, 'spam');
                const report = await from?.report(place, 'hurtful', 'A shop');
                const queue = [];
                for await (const entry of staff?.moderation.reports({ count: 2 }) ?? []) {
                    queue.push(...entry.project.id === place.id ? [[entry.count, entry.newest[0]?.text]] : []);
                }

                const decision = await staff?.moderation.decide(place, 'held', 'Shop');
                const late = await staff?.moderation.decide(place, 'kept', 'Fine').catch(caught);
                const hidden = await from?.projects.get(place.id).catch(caught);
                const released = await staff?.moderation.release(place);
                const held = await staff?.moderation.hold(place, 'Still a shop');
                const until = new Date('2036-04-01T00:00:00Z');
                const suspension = await staff?.moderation.suspend(user, 'Shops', until);
                const refused = await by?.api.POST('/users/{user}/projects', { params: { path: { user: 'me' } }, body: { title: 'Two' } }).catch(caught);
                const forever = await staff?.moderation.suspend(user, 'Shops');
                await staff?.moderation.unsuspend(user);
                const twice = await staff?.moderation.unsuspend(user).catch(caught);
                const log = [];
                for await (const { act, target } of staff?.moderation.log({ count: 3 }) ?? []) {
                    // The product is shared by all files of tests, so others may have moderated meanwhile.
                    if (target.owner.id === user.id) {
                        log.push(act);
                    }

                    if (log.length === 6) {
                        break;
                    }
                }

                const featured = [(await staff?.moderation.feature(place, true))?.featured, (await staff?.moderation.feature(place, false))?.featured];
                await staff?.moderation.remove(place);
                const removed = await staff?.moderation.trash(user).next();
                const entry = removed?.value ?? { id: '1' };
                const own = await by?.trash.restore(entry).catch(caught);
                await staff?.moderation.restore(user, entry);
                const back = await by?.projects.get(place.id);

                const others = await from?.moderation.log().next().catch(caught);
                return {
                    reports: [first?.text, report?.reason, report?.text], queue, decision: decision?.state, late, hidden, released: released?.held, held: held?.held?.reason, suspension: suspension?.until, refused,
                    forever: forever?.until, twice, log, featured, own, back: back?.id, others
                };
            });
            expect(told).to.equal({
                reports: ['', 'hurtful', 'A shop'], queue: [[1, 'A shop']], decision: 'held', late: [404, 'not_found', undefined], hidden: [404, 'not_found', undefined], released: undefined, held: 'Still a shop',
                suspension: '2036-04-01T00:00:00.000Z', refused: [403, 'suspended', { reason: 'Shops', until: '2036-04-01T00:00:00.000Z' }], forever: null, twice: [404, 'not_found', undefined],
                log: ['unsuspend', 'suspend', 'suspend', 'hold', 'release', 'hold'], featured: [true, false],
                own: [403, 'removed_by_moderator', undefined], back: project.id, others: [403, 'forbidden', undefined]
            });
        });
    }
});
