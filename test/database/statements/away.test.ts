import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openDatabase } from '../../../src/database/statements/connection';
import { startEmbedded } from '../../../src/database/embedded';
import type { Embedded } from '../../../src/database/embedded';
import { migrate } from '../../../src/database/statements/migrate';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('a database that goes away and comes back', () => {
    const dir = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    let embedded: Embedded;
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    const up = async (): Promise<void> => {
        embedded = await startEmbedded({ dir });
    };

    before(async () => {
        await up();
        const db = openDatabase({ url: embedded.url, pool: 8 });
        await migrate(db);
        server = await startTestServer({ config: { rateLimit: true }, database: { db, url: embedded.url, drop: async () => {
            await db.destroy();
            await embedded.stop();
        } } });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    after(async () => {
        await server.stop();
        rmSync(dir, { recursive: true, force: true });
    });

    const requests: (() => Promise<Answer>)[] = [
        () => server.call('GET', '/projects'),
        () => server.call('GET', project.url),
        () => server.call('GET', `${project.url}/pages`),
        () => server.call('POST', `/view-project/${project.id}`),
        () => ada.call('PATCH', project.url, { title: 'Again' }),
        () => ada.call('PATCH', project.page.url, { x: 3 }),
        () => ada.call('POST', `${project.page.url}/elements`, { type: 'text' }),
        () => ada.bulk([{ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text' } }])
    ];

    const ways: [string, () => Promise<void>][] = [
        ['in order', () => embedded.stop()],
        ['killed', async () => {
            process.kill(Number(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL');
            await embedded.stop();
        }]
    ];
    for (const [how, goAway] of ways) {
        it(`causes 503 with Retry-After, and requests succeed once it is back: ${how}`, async () => {
            const under = new AbortController();
            const answers: Answer[] = [];
            const clients = requests.map(async (request) => {
                while (!under.signal.aborted) {
                    answers.push(await request());
                    await sleep(1);
                }
            });

            await sleep(200);
            await goAway();
            await sleep(200);
            under.abort();
            await Promise.all(clients);
            const wrong = answers.filter(({ status }) => ![200, 201, 503].includes(status));
            expect(wrong.map(({ text }) => text).slice(0, 3), server.faults.join()).to.equal([]);
            expect(answers.some(({ status }) => status === 503)).to.be.true();

            for (const request of requests) {
                const { status, headers, body } = await request();
                expect([status, headers['retry-after'], body.code]).to.equal([503, '2', 'service_unavailable']);
            }

            expect((await server.call('GET', '/health')).status).to.equal(200);
            expect((await server.call('GET', '/ready')).status).to.equal(503);

            await up();
            for (const request of requests) {
                const { status, text } = await request();
                expect([200, 201], text).to.include(status);
            }

            expect((await server.call('GET', '/ready')).status).to.equal(200);

            // The check of /ready logs why it is not ready; there are no other errors.
            expect(server.faults).to.have.length(1);
            server.faults.length = 0;
        });
    }
});
