import { createHash } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { waiting as waitingForLocks } from '../../support/authoring';
import { inThisProcess } from '../../support/file-pools';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';
import { fileOf, projectZip, zipBytes } from '../../support/zips';

export const lab = script();

lab.experiment('Importing', () => {

    let test: TestServer;
    let eva: Actor;

    lab.before(async () => {
        test = await startTestServer();
        eva = await test.open('eva');
    });

    lab.after(() => test.stop());

    const send = (zip: Buffer, query = ''): Promise<Answer> => test.call('POST', `/users/${eva.id}/imports${query}`, zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });

    lab.test('a file becomes a project with all that is in it', async () => {
        const { status, body, headers } = await send(projectZip(fileOf(
            { id: '7', title: 'Plants', description: 'A #garden' },
            [
                { id: '5', x: 0, y: 0, styles: { color: 'red' }, elements: [{ type: 'text', attributes: { text: 'Tomatoes' } }, { type: 'link', attributes: { targetProjectId: 7, targetPageId: '6' } }] },
                { id: '6', x: 1, y: 0, elements: [] }
            ]
        )));
        expect([status, body]).to.equal([201, body]);
        expect(body.project).to.include({ title: 'Plants', description: 'A #garden', tags: ['garden'], user_id: eva.id });
        expect(headers.location).to.equal(`/users/${eva.id}/projects/${body.project.id}`);
        const { body: { pages } } = await test.call('GET', `${String(headers.location)}/pages`);
        expect(pages.map(({ x, y, styles }: { x: number; y: number; styles: object }) => ({ x, y, styles }))).to.equal([{ x: 0, y: 0, styles: { color: 'red' } }, { x: 1, y: 0, styles: {} }]);
        const [text, link] = pages[0].elements;
        expect(text.attributes).to.equal({ text: 'Tomatoes' });
        expect(link.attributes).to.equal({ targetProjectId: body.project.id, targetUserId: eva.id, targetPageId: pages[1].id });
        const { body: { changes } } = await test.call('GET', `${String(headers.location)}/history`, undefined, { token: eva.token });
        expect(changes.map(({ kind, counts }: { kind: string; counts: object }) => ({ kind, counts }))).to.equal([{
            kind: 'import', counts: { project: true, pages: { created: 2, updated: 0, removed: 0 }, elements: { created: 2, updated: 0, removed: 0 } }
        }]);
        expect(test.faults).to.equal([]);
    });

    lab.test('the order of members does not matter, and what only informs is not looked at', async () => {
        const text = '{"pages":[{"elements":[{"history":{"created_at":"2026-01-01T10:00:00.000Z","updated_at":"2026-01-01T10:00:00.000Z"},"type":"a","id":"4"}],"styles":{"b":1},"y":3,"x":2}],"origin":{"author":"x"},'
            + '"project":{"title":"Sorted"},"version":1,"format":"pagewright-project","$schema":"x"}';
        const { status, body, headers } = await send(zipBytes([{ name: 'history.json', content: 'not looked at' }, { name: 'assets/', content: '', stored: true, mode: 0o040755 }, { name: 'project.json', content: JSON.stringify(JSON.parse(text), null, '\t').replaceAll('\n', '\r\n'), stored: true, mode: 0o100644 }]));
        expect([status, body.project?.title]).to.equal([201, 'Sorted']);
        const { body: { pages: [page] } } = await test.call('GET', `${String(headers.location)}/pages`);
        expect([page.x, page.y, page.styles, page.elements.length]).to.equal([2, 3, { b: 1 }, 1]);
    });

    lab.test('the visibility is that of the file, or of the query', async () => {
        const zip = projectZip(fileOf({ title: 'Mine', visibility: 'private' }));
        expect((await send(zip)).body.project.visibility).to.equal('private');
        expect((await send(zip, '?visibility=unlisted')).body.project.visibility).to.equal('unlisted');
        expect((await send(zip, '?visibility=mine')).status).to.equal(400);
    });

    lab.test('a large project is stored in parts, in its order, and can be written to', async () => {
        const text = 'x'.repeat(500_000);
        const pages = Array.from({ length: 3 }, (_one, x) => ({
            x, y: 0, styles: { text }, elements: Array.from({ length: x === 1 ? 1000 : 30 }, (_other, n) => ({ type: 'text', attributes: { n, ...x !== 1 && { text } } }))
        }));
        const { status, body, headers } = await send(projectZip(fileOf({ title: 'Large' }, pages)));
        expect(status, body?.message).to.equal(201);
        const { body: { pages: stored } } = await test.call('GET', `${String(headers.location)}/pages`);
        expect(stored.map(({ elements }: { elements: { attributes: { n: number } }[] }) => elements.map(({ attributes: { n } }) => n))).to.equal(pages.map(({ elements }) => elements.map((_one, n) => n)));
        const { rows: [sizes] } = await test.database.db.raw('select project_bytes::float8 as bytes, (select sum(page_bytes)::float8 from pages where project_id = p.id) as pages, counted_revision = revision as counted from projects p where id = ?', [body.project.id]);
        expect(sizes.counted).to.be.true();
        expect(sizes.bytes).to.equal(sizes.pages);
        expect(Number(sizes.bytes)).to.be.above(63 * 500_000);
        expect((await test.call('POST', `${String(headers.location)}/pages`, { x: 9, y: 9 }, { token: eva.token })).status).to.equal(201);
    });

    lab.test('with a key, a file that is sent twice becomes one project', async () => {
        const zip = projectZip(fileOf({ title: 'Once' }));
        const headers = { 'content-type': 'application/zip', 'idempotency-key': '8e03978e-40d5-43e8-bc93-6894a57f9324' };
        const first = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers });
        const second = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers });
        expect([first.status, second.status, second.body]).to.equal([201, 201, first.body]);
        expect((await test.call('POST', '/users/me/imports', projectZip(fileOf({ title: 'Other' })), { token: eva.token, headers })).body.code).to.equal('key_reused');
        // As a page of another origin sends it where it cannot send the header.
        const url = '/users/me/imports?idempotency_key=8e03978e-40d5-43e8-bc93-6894a57f9327';
        const again = (): Promise<Answer> => test.call('POST', url, zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });
        const third = await again();
        expect([third.status, (await again()).body, third.body.project.id === first.body.project.id]).to.equal([201, third.body, false]);
    });

    lab.test('with a malformed key, it is 400 before anything else is looked at', async () => {
        for (const key of ['', 'short', 'x'.repeat(256)]) {
            const { status, body } = await test.call('POST', '/users/1/imports', '', { token: eva.token, headers: { 'content-type': 'application/zip', 'idempotency-key': key } });
            expect([status, body.details?.[0].path], key).to.equal([400, 'Idempotency-Key']);
            const inQuery = await test.call('POST', `/users/1/imports?idempotency_key=${encodeURIComponent(key)}`, '', { token: eva.token, headers: { 'content-type': 'application/zip' } });
            expect(inQuery.status, key).to.equal(400);
        }
    });

    lab.test('with a key, a response that is too large to be kept is read again', async () => {
        const zip = projectZip(fileOf({ title: 'Long', description: '\u0001'.repeat(1000) }));
        const headers = { 'content-type': 'application/zip', 'idempotency-key': '8e03978e-40d5-43e8-bc93-6894a57f9325' };
        const first = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers });
        expect([first.status, first.text.length > 4096]).to.equal([201, true]);
        const second = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers });
        expect([second.status, second.body.project]).to.equal([201, first.body.project]);
        await test.call('DELETE', String(first.headers.location), undefined, { token: eva.token });
        expect((await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers })).status).to.equal(404);
    });

    lab.test('for an account that is deleted meanwhile, it is 404', async () => {
        const fay = await test.open();
        const { db } = test.database;
        const deletion = await db.transaction();
        await deletion.raw('update users set deleted_at = now() where id = ?', [fay.id]);
        const answer = test.call('POST', `/users/${fay.id}/imports`, projectZip(fileOf({ title: 'Late' })), { token: fay.token, headers: { 'content-type': 'application/zip' } });
        while (await waitingForLocks(test) === 0) {
            await sleep(5);
        }

        await deletion.commit();
        expect((await answer).status).to.equal(404);
    });

    lab.test('a picture that is gone from the disk is a fault of the service, which is logged', async () => {
        const forgetful = await startTestServer({ files: { ...inThisProcess, run: async (task) => {
            if (task.kind === 'inspect') {
                await unlink(task.file);
            }

            return inThisProcess.run(task, '');
        } } });
        const ada = await forgetful.open();
        const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
        const hash = createHash('sha256').update(picture).digest('hex');
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'x' })) }, { name: `assets/${hash}.svg`, content: picture }]);
        const answer = await forgetful.call('POST', `/users/${ada.id}/imports`, zip, { token: ada.token, headers: { 'content-type': 'application/zip' } });
        expect(answer.body.code).to.equal('internal_error');
        expect(forgetful.faults.splice(0).map((line) => String(JSON.parse(line).err.message))).to.satisfy(([message = '', ...more]: string[]) => message.includes('ENOENT') && more.length === 0);
        await forgetful.stop();
    });

    lab.test('waits no longer than 20 seconds for its pictures to be checked', async () => {
        const busy = await startTestServer({ files: { ...inThisProcess, wait: () => 20_001 } });
        const ada = await busy.open();
        const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>');
        const hash = createHash('sha256').update(picture).digest('hex');
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'x' })) }, { name: `assets/${hash}.svg`, content: picture }]);
        const { status, body } = await busy.call('POST', `/users/${ada.id}/imports`, zip, { token: ada.token, headers: { 'content-type': 'application/zip' } });
        expect([status, body.code]).to.equal([503, 'overloaded']);
        await busy.stop();
    });

    lab.test('pictures go along, and are the importer\'s then', async () => {
        const ali = await test.open();
        const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>');
        const hash = createHash('sha256').update(picture).digest('hex');
        const file = fileOf({ title: 'Pictures' }, [{ x: 0, y: 0, elements: [{ type: 'image', attributes: { src: `asset:${hash}` } }] }]);
        const missing = await send(projectZip(file));
        expect([missing.status, missing.body.code]).to.equal([409, 'asset_missing']);
        for (const [name, content, message] of [[`assets/${'0'.repeat(64)}.svg`, picture, 'SHA-256'], [`assets/${hash}.png`, picture, 'not what its name says']] as const) {
            const { status, body } = await send(zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, { name, content }]));
            expect([status, body.details[0].path]).to.equal([400, name]);
            expect(body.message).to.include(message);
        }

        const { status, headers, text } = await send(zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, { name: `assets/${hash}.svg`, content: picture }]));
        expect(status, text).to.equal(201);
        const { rawPayload } = await test.server.inject({ url: `${String(headers.location)}/export` });
        expect((await unzip(rawPayload)).get(`assets/${hash}.svg`)).to.equal(picture);
        const again = await test.call('POST', '/users/me/imports', rawPayload, { token: ali.token, headers: { 'content-type': 'application/zip' } });
        expect(again.status).to.equal(201);
        const { body: { missing: lacking } } = await test.call('POST', '/users/me/assets/missing', { ids: [hash] }, { token: ali.token });
        expect(lacking).to.equal([]);
        expect(await readdir(test.assets.incoming)).to.equal([]);
    });

    lab.test('more assets than one may have are 409', async () => {
        const small = await startTestServer({ config: { assetQuota: 1 } });
        const { token } = await small.open();
        const { body } = await small.call('POST', '/users/me/imports', zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'x' })) }, { name: `assets/${'a'.repeat(64)}.png`, content: 'xx' }]), { token, headers: { 'content-type': 'application/zip' } });
        expect(body.code).to.equal('quota_exceeded');
        await small.stop();
    });

    lab.test('an account that is not there, or another\'s, is told before the body is looked at', async () => {
        const headers = { 'content-type': 'application/zip' };
        const ali = await test.open();
        expect((await test.call('POST', '/users/999999/imports', 'x', { token: eva.token, headers })).status).to.equal(404);
        expect((await test.call('POST', `/users/${ali.id}/imports`, 'x', { token: eva.token, headers })).status).to.equal(403);
    });
});
