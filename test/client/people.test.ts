import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and people', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`blocks, follows and likes, in ${host}`, async () => {
            const [ada, eve] = [await openAuthor(on.test), await openAuthor(on.test)];
            const project = await eve.project({ title: 'By Eve' });
            const told = await on.run(host, { session: sessionOf(ada), other: sessionOf(eve), name: eve.username, project: { id: project.id } }, async ({ pagewright, url, given }) => {
                const [{ people }, other] = [pagewright.createClient(url), pagewright.createClient(url)].map((client, n) => {
                    client.signInWith(n === 0 ? given.session : given.other);
                    return client;
                }) as [ReturnType<typeof pagewright.createClient>, ReturnType<typeof pagewright.createClient>];
                const names = async (list: AsyncIterable<{ user: { username: string } }>): Promise<string[]> => {
                    const found = [];
                    for await (const { user } of list) {
                        found.push(user.username);
                    }

                    return found;
                };

                const followed = (await people.follow(given.name)).user.username;
                const feed = (await people.feed().page()).items.map(({ title }) => title);
                await people.like(given.project);
                const likes = [await people.likes(given.project), (await other.projects.mine().page()).items[0]?.likes];
                await people.unlike(given.project);
                likes.push(await people.likes(given.project));
                const following = await names(people.following());
                const blocked = (await people.block(given.name)).user.username;
                const left = [await names(people.following()), await names(people.blocked())];
                await people.unblock(given.name);
                return [followed, feed, likes, following, blocked, left, await names(people.blocked()), await people.unfollow(given.name).catch((error) => error.status)];
            });
            expect(told).to.equal([eve.username, ['By Eve'], [true, 1, false], [eve.username], eve.username, [[], [eve.username]], [], 404]);
        });
    }
});
