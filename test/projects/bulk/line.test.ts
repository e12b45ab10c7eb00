import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { afterEach, beforeEach, describe, it } = lab;

describe('a queue for long work', () => {
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    // A new one for each test, which has not learned yet how long the work takes.
    beforeEach(async () => {
        // Two at a time, of which one caller has one.
        server = await startTestServer({ fresh: true, config: { databasePool: 5 } });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    afterEach(() => server.stop());

    /** The responses to calls while the project is locked for some milliseconds. */
    const whileLocked = async (lasts: number, calls: (() => Promise<Answer>)[]): Promise<Promise<Answer>[]> => {
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for update', [project.id]);
        const answers: Promise<Answer>[] = [];
        for (const call of calls) {
            answers.push(call());
            await sleep(60);
        }

        await sleep(lasts);
        await lock.rollback();
        return answers;
    };

    const kinds: [string, () => Promise<Answer>][] = [
        ['bulks', () => ada.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Saved' } }])],
        ['remixes', () => ada.call('POST', `${project.url}/remixes`)]
    ];
    for (const [name, call] of kinds) {
        it(`rejects ${name} that would wait for longer than two seconds, behind ten others`, async () => {
            // Ten may always wait, however long it takes.
            await Promise.all(await whileLocked(300, [call]));
            const many = Array.from({ length: 12 }, () => call);
            const [refused, ...others] = (await Promise.all(await whileLocked(0, many))).reverse();
            expect(refused?.status).to.equal(503);
            expect(refused?.body).to.include({ code: 'overloaded', message: 'The service has too much to do at the moment, so nothing was done. Send the request again in a few seconds.' });
            expect(Number(refused?.headers['retry-after'])).to.be.within(3, 8);
            expect(others.map(({ status }) => status)).to.equal(others.map(() => (name === 'bulks' ? 200 : 201)));

            // When they are fast again, more may wait.
            for (let n = 0; n < 40; ++n) {
                expect((await call()).status).to.be.below(300);
            }

            expect((await Promise.all(await whileLocked(0, many))).map(({ status }) => status)).to.not.include(503);
        });
    }

    it('of one address does not delay another\'s', async () => {
        const bob = await openAuthor(server, 'bob');
        const lock = await server.database.db.transaction();
        await lock.raw('select from projects where id = ? for update', [project.id]);
        const first = [{ type: 'projects', method: 'update', data: { id: project.id, title: 'Saved' } }];
        const adas = Array.from({ length: 8 }, () => ada.bulk(first));
        await sleep(200);
        let done = 0;
        adas.forEach((answer) => void answer.then(() => ++done));
        const bobs = await server.server.inject({
            method: 'POST', url: `/users/${bob.id}/bulk`, remoteAddress: '192.0.2.9', headers: { authorization: `token ${bob.token}` },
            payload: { actions: [{ type: 'projects', method: 'create', data: { title: 'Mine' } }] }
        });
        expect(bobs.statusCode).to.equal(200);
        // It had a place of its own.
        expect(done).to.be.at.most(1);
        await lock.rollback();
        expect((await Promise.all(adas)).map(({ status }) => status)).to.equal(adas.map(() => 200));
    });
});
