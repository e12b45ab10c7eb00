import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { until } from '../support/host';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and notices', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`lists, reads and watches them, and has a letter sent, in ${host}`, async () => {
            const [ada, ben] = [await openAuthor(on.test), await openAuthor(on.test)];
            for (const title of ['Basil', 'Thyme']) {
                await ben.remix(await ada.project({ title }));
            }

            await until(async () => (await ada.call('GET', '/users/me/notices')).body.unread === 2);
            const told = await on.run(host, { session: sessionOf(ada) }, async ({ pagewright, url, given }) => {
                const client = pagewright.createClient(url);
                client.signInWith(given.session);
                const titles = [];
                let newest;
                for await (const notice of client.notices.list({ count: 1 })) {
                    newest ??= notice;
                    titles.push([notice.kind, notice.project?.title]);
                }

                const stop = new AbortController();
                const states = [];
                for await (const { unread, newest: id } of client.notices.watch({ signal: stop.signal })) {
                    states.push([unread, id === newest?.id]);
                    if (unread === 0) {
                        stop.abort();
                    }
                    else {
                        await client.notices.read({ id: String(newest?.id) });
                    }
                }

                return [titles, states, await client.notices.unread(), await client.notices.setLetter(true).catch((error) => error.code), await client.notices.letter().catch((error) => error.code)];
            });
            expect(told).to.equal([[['remix', 'Thyme'], ['remix', 'Basil']], [[2, true], [0, true]], 0, 'mail_off', 'mail_off']);
        });
    }
});
