import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor, waiting } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('many writes of one project', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer({ pool: 5 });
    });

    after(() => server.stop());

    it('leave connections to the database for others while they wait', async () => {
        const ada = await openAuthor(server, 'ada');
        const bob = await openAuthor(server, 'bob');
        const [project, other] = [await ada.project(), await bob.project()];
        const writes: Promise<Answer>[] = [];
        await server.database.db.transaction(async (trx) => {
            await trx.raw('select from projects where id = ? for no key update', [project.id]);
            writes.push(...Array.from({ length: 20 }, (_, y) => ada.call('PATCH', project.page.url, { y })));
            while (await waiting(server) < 2) {
                await sleep(1);
            }

            expect((await bob.call('PATCH', other.page.url, { x: 1 })).status).to.equal(200);
            expect((await bob.call('GET', project.page.url)).status).to.equal(200);
        });
        expect((await Promise.all(writes)).map(({ status }) => status)).to.equal(writes.map(() => 200));
    });
});
