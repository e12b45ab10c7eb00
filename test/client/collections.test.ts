import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and collections', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`makes, fills, orders, reads and deletes collections, in ${host}`, async () => {
            const ada = await openAuthor(on.test);
            const told = await on.run(host, { session: sessionOf(ada) }, async ({ pagewright, url, given }) => {
                const mine = pagewright.createClient(url);
                mine.signInWith(given.session);
                const guest = pagewright.createClient(url);
                const titles = async (list: AsyncIterable<{ title: string }>): Promise<string[]> => {
                    const found = [];
                    for await (const { title } of list) {
                        found.push(title);
                    }

                    return found;
                };

                const make = async (title: string, visibility: 'private' | 'public'): Promise<{ id: string }> => (await mine.projects.create({ title, visibility })).project;
                const [one, two, three] = [await make('One', 'public'), await make('Two', 'private'), await make('Three', 'public')];
                const made = await mine.collections.create({ title: 'Gardens' });
                const hidden = await mine.collections.create({ title: 'Mine alone', visibility: 'private' });
                for (const project of [one, two, three]) {
                    await mine.collections.put(made, project);
                }

                const moved = await mine.collections.put(made, three, 0);
                const shown = [await titles(mine.collections.projects(made.id, { count: 2 })), await titles(guest.collections.projects(made.id, { count: 1 }))];
                const taken = await mine.collections.take(made, one);
                const updated = await mine.collections.update(made, { title: 'Balconies' });
                const read = await guest.collections.get(made.id);
                const lists = [await titles(mine.collections.mine({ count: 1 })), await titles(mine.collections.of(given.session.user.id)), await titles(guest.collections.of(given.session.user.id))];
                const refused = [
                    await guest.collections.get(hidden.id).catch((error) => error.status), (await mine.collections.get(hidden.id)).title,
                    await mine.collections.put(made, { id: '9223372036854775807' }).catch((error) => error.code)
                ];
                await mine.collections.delete(made);
                return [moved.projects, shown, taken.projects, updated.title, read.title, lists, refused, await mine.collections.get(made.id).catch((error) => error.status)];
            });
            expect(told).to.equal([
                2, [['Three', 'One', 'Two'], ['Three', 'One']], 1, 'Balconies', 'Balconies', [['Mine alone', 'Balconies'], ['Balconies'], ['Balconies']], [404, 'Mine alone', 'not_found'], 404
            ]);
        });
    }
});
