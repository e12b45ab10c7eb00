import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { connections, openAuthor } from '../support/authoring';
import type { Author, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('what people write beside a project', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let project: MadeProject;
    let comment: string;

    before(async () => {
        server = await startTestServer();
        [ada, eve] = [await openAuthor(server), await openAuthor(server)];
    });

    beforeEach(async () => {
        project = await ada.project({ visibility: 'public' });
        comment = (await ada.call('POST', `${project.url}/comments`, { text: 'Mine' })).body.comment.id;
    });

    after(async () => {
        expect(server.faults).to.equal([]);
        await server.stop();
    });

    const writes: readonly (readonly [string, string, () => Promise<Answer>])[] = [
        ['a comment', 'comments', () => eve.call('POST', `${project.url}/comments`, { text: 'x' })],
        ['a like', 'project_likes', () => eve.call('PUT', `/projects/${project.id}/like`, {})],
        ['a report', 'report_queue', () => eve.call('POST', `/projects/${project.id}/reports`, { reason: 'spam' })],
        ['a report of a guest', 'guest_reports', () => server.call('POST', `/projects/${project.id}/guest-reports`, { reason: 'spam' })],
        ['a report of a comment', 'thing_report_queue', () => eve.call('POST', `/comments/${comment}/reports`, { reason: 'spam' })]
    ];
    for (const [name, table, write] of writes) {
        it(`is not done after its owner was told that it is private: ${name}`, async () => {
            const { db } = server.database;
            const done: string[] = [];
            // The rights have been looked at when this table is written to.
            const trx = await db.transaction();
            await trx.raw(`lock table ${table} in share row exclusive mode`);
            const written = write().then(({ status }) => {
                done.push('written');
                return status;
            });
            while (await connections(server, `wait_event_type = 'Lock' and query like '%${table}%'`) === 0) {
                await sleep(1);
            }

            const closed = ada.call('PATCH', project.url, { visibility: 'private' }).then(({ status }) => {
                done.push('closed');
                return status;
            });
            while (done.length === 0 && await connections(server, `wait_event_type = 'Lock'`) < 2) {
                await sleep(1);
            }

            expect(done).to.equal([]);
            await trx.commit();
            expect([await written, await closed]).to.equal([name === 'a like' ? 200 : 201, 200]);
            expect((await write()).status).to.equal(404);
        });
    }
});
