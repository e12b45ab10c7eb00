import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and webhooks', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`makes, lists, changes, tests and deletes webhooks, in ${host}`, async () => {
            const ada = await openAuthor(on.test);
            const told = await on.run(host, { session: sessionOf(ada) }, async ({ pagewright, url, given }) => {
                const client = pagewright.createClient(url);
                client.signInWith(given.session);
                const { webhook, secret } = await client.webhooks.create({ url: 'https://hooks.example/in', events: ['project.changed'] });
                const changed = await client.webhooks.update(webhook, { events: ['project.held'] });
                const other = await client.webhooks.replaceSecret(webhook);
                const tested = await client.webhooks.test(webhook);
                const again = await client.webhooks.sendAgain(webhook, tested);
                const states = [];
                for await (const delivery of client.webhooks.deliveries(webhook)) {
                    states.push([delivery.id === tested.id, delivery.event, delivery.state]);
                }

                const listed = await client.webhooks.list();
                await client.webhooks.delete(webhook);
                return { secrets: [secret.slice(0, 6), other.slice(0, 6), secret === other], events: changed.events, states, again: again.message === tested.message, listed: listed.map(({ id }) => id === webhook.id), left: await client.webhooks.list() };
            });
            expect(told).to.equal({ secrets: ['whsec_', 'whsec_', false], events: ['project.held'], states: [[true, 'webhook.test', 'waiting']], again: true, listed: [true], left: [] });
        });
    }
});
