import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and apps', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`registers, lists, changes and deletes apps, in ${host}`, async () => {
            const ada = await openAuthor(on.test);
            const told = await on.run(host, { session: sessionOf(ada) }, async ({ pagewright, url, given }) => {
                const client = pagewright.createClient(url);
                client.signInWith(given.session);
                const fields = { name: 'Kitchen editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/done'] };
                const made = await client.apps.create(fields);
                const onServer = await client.apps.create({ ...fields, name: 'On a server', confidential: true });
                const secret = await client.apps.replaceSecret(onServer.app);
                const renamed = await client.apps.update(made.app, { name: 'Garden editor' });
                const mine = await client.apps.mine();
                const shown = await client.apps.get(made.app.id);
                await client.apps.delete(made.app);
                const left = await client.apps.mine();
                return { secrets: [made.clientSecret, onServer.clientSecret?.length, secret.length, secret === onServer.clientSecret], names: [renamed.name, shown.name, mine.map(({ name }) => name), left.map(({ name }) => name)] };
            });
            expect(told).to.equal({ secrets: [null, 43, 43, false], names: ['Garden editor', 'Garden editor', ['On a server', 'Garden editor'], ['On a server']] });
        });
    }
});
