import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import type { NewEntry } from '../../../src/files/zip/write-zip';
import type { Read } from '../../../src/database/statements/snapshot';
import { run } from '../../../src/database/statements/statement';
import { entriesOf } from '../../../src/files/exports/entries';
import { findExported } from '../../../src/files/exports/queries';
import { takeoutEntries } from '../../../src/files/exports/takeout';
import { ChangedWhileSent } from '../../../src/api/request/streamed-body';
import { waiting } from '../../support/authoring';
import { notOnCluster } from '../../support/on-cluster';
import { startProvider } from '../../support/provider';
import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';
import { fileOf, zipBytes } from '../../support/zips';

export const lab = script();

lab.experiment('What is taken along', () => {

    let test: TestServer;
    let eva: Actor;
    let moderator: Actor;

    lab.before(async () => {
        test = await startTestServer();
        [eva, moderator] = [await test.open('eva'), await test.open('mo', { moderator: true })];
    });

    lab.after(() => test.stop());

    const newProject = async (): Promise<{ id: string; path: string }> => {
        const { body, headers } = await test.call('POST', `/users/${eva.id}/projects`, { title: 'Plants', visibility: 'private' }, { token: eva.token });
        return { id: body.project.id, path: String(headers.location) };
    };

    const textOf = async ({ content }: NewEntry): Promise<string> => {
        let text = '';
        for await (const chunk of content) {
            text += String(chunk);
        }

        return text;
    };

    const read: Read = (sql, values) => run(test.database.db, sql, values);

    lab.test('a moderator who takes a history along is in the moderation log, once', async () => {
        const { id, path } = await newProject();
        for (let times = 0; times < 2; ++times) {
            expect((await test.server.inject({ url: `${path}/export?history=true`, headers: { authorization: `token ${moderator.token}` } })).statusCode).to.equal(200);
        }

        expect((await test.server.inject({ url: `${path}/export?history=true`, headers: { authorization: `token ${eva.token}` } })).statusCode).to.equal(200);
        const { body: { entries } } = await test.call('GET', '/moderation/log', undefined, { token: moderator.token });
        expect(entries.map(({ act, target }: { act: string; target: { id: string } }) => [act, target.id])).to.equal([['read_history', id]]);
    });

    lab.test('nobody takes out an account that is not there', async () => {
        expect((await test.call('GET', '/users/999999/takeout', undefined, { token: eva.token })).status).to.equal(404);
    });

    lab.test('a history needs an account', async () => {
        const provider = await startProvider('jwt');
        const server = await startTestServer({ config: { auth: provider.settings() } });
        const { status, body } = await server.call('GET', '/users/1/projects/1/export?history=true', undefined, { token: await provider.token({ subject: 'new' }) });
        expect([status, body.code]).to.equal([403, 'no_account']);
        await server.stop();
        await provider.stop();
    });

    lab.test('a zip is cut short, which is logged, if the bytes of a picture are gone', async () => {
        const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>');
        const hash = createHash('sha256').update(picture).digest('hex');
        const file = fileOf({ title: 'Pictures' }, [{ x: 0, y: 0, elements: [{ type: 'image', attributes: { src: `asset:${hash}` } }] }]);
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, { name: `assets/${hash}.svg`, content: picture }]);
        const { status, headers } = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });
        expect(status).to.equal(201);
        await test.assets.remove(hash);
        await expect(test.server.inject(`${String(headers.location)}/export`)).to.reject();
        expect(test.faults.splice(0).join()).to.include('There are no bytes named');
    });

    lab.test('a zip is cut short if the project is removed before it is read', notOnCluster('a lock of a table is not one of its shards'), async () => {
        const { id, path } = await newProject();
        const { db } = test.database;
        const lock = await db.transaction();
        // The request waits to note the read.
        await lock.raw('lock table moderation_log in exclusive mode');
        const answer = expect(test.server.inject({ url: `${path}/export?history=true`, headers: { authorization: `token ${moderator.token}` } })).to.reject();
        while (await waiting(test) === 0) {
            await sleep(5);
        }

        await lock.raw('update projects set deleted_at = now() where id = ?', [id]);
        await lock.commit();
        await answer;
        expect(test.faults).to.equal([]);
    });

    lab.test('a history of another state than the project is not written', async () => {
        const { id, path } = await newProject();
        const entries = entriesOf(read, test.assets, { find: (reader) => findExported(reader, eva.id, id, { id: eva.id, moderator: false }), history: true });
        const project = (await entries.next()).value;
        expect(JSON.parse(await textOf(project)).project.title).to.equal('Plants');
        await test.call('PATCH', path, { title: 'Trees' }, { token: eva.token });
        const history = (await entries.next()).value;
        await expect(textOf(history)).to.reject(ChangedWhileSent);
    });

    lab.test('a project that is removed while a takeout is made is empty in it', async () => {
        const fay = await test.open();
        const { headers } = await test.call('POST', `/users/${fay.id}/projects`, { title: 'Gone' }, { token: fay.token });
        const names: string[] = [];
        for await (const entry of takeoutEntries({
            db: test.database.db, storage: test.assets, withAddress: true, userId: fay.id, trashDays: 30, inPieces: async function* (pieces) {
                await test.call('DELETE', String(headers.location), undefined, { token: fay.token });
                yield* pieces(read);
            }
        })) {
            const text = await textOf(entry);
            if (entry.name.startsWith('projects/')) {
                names.push(entry.name);
                // The end of a zip without files.
                expect(text.slice(0, 4)).to.equal('PK\u0005\u0006');
            }
        }

        expect(names.length).to.equal(1);
    });
});
