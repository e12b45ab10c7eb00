import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and remixes', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`shows the lineage, and pulls what the source changed, in ${host}`, async () => {
            const [ada, eve] = [await openAuthor(on.test), await openAuthor(on.test)];
            const source = await ada.project({ title: 'One' });
            const remix = await eve.remix(source);
            await ada.call('PATCH', source.url, { title: 'Two' });
            await eve.call('PATCH', remix.url, { title: 'Mine' });
            const given = { session: sessionOf(eve), place: { id: remix.id, user_id: eve.id } };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, place } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const { ancestors, remixes } = await client.remixes.lineage(place);
                const { changes } = await client.remixes.upstream(place);
                const failed = await client.remixes.pull(place).catch((error: unknown) => error instanceof pagewright.PagewrightError && [error.code, error.mergeConflicts.map(({ type, fields }) => [type, fields]), error.changedSince, error.conflicts]);
                const pulled = await client.remixes.pull(place, { take: 'theirs' });
                const { change } = await client.remixes.pull(place);
                return { ancestors: ancestors.map(({ title }) => title), remixes, changes: changes.map(({ fields, conflict }) => [fields, conflict]), failed, pulled: [pulled.project.title, pulled.change?.kind], change };
            });
            expect(told).to.equal({
                ancestors: ['Two'], remixes: 0, changes: [[['/title'], true]], failed: ['merge_conflict', [['project', ['/title']]], [], []], pulled: ['Two', 'pull'], change: null
            });
        });
    }
});
