import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import Ajv from 'ajv/dist/2020';

import { startTestServer } from '../../support/server';
import type { Actor, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';
import { fileOf, zipBytes } from '../../support/zips';

export const lab = script();

lab.experiment('Taking work along', () => {

    let test: TestServer;
    let eva: Actor;
    let ali: Actor;
    let path: string;
    let element: string;

    lab.before(async () => {
        test = await startTestServer();
        [eva, ali] = [await test.open('eva'), await test.open('ali')];
        const { body: { page }, headers } = await test.call('POST', `/users/${eva.id}/projects`, { title: 'Plants', visibility: 'private' }, { token: eva.token });
        path = String(headers.location);
        const made = await test.call('POST', `${path}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'Tomatoes' } }, { token: eva.token });
        element = String(made.headers.location);
        await test.call('PATCH', element, { attributes: { text: 'Beans' } }, { token: eva.token });
        const gone = await test.call('POST', `${path}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'Weeds' } }, { token: eva.token });
        await test.call('DELETE', String(gone.headers.location), undefined, { token: eva.token });
    });

    lab.after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
    });

    const get = async (url: string, token?: string): Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }> => {
        const { statusCode, headers, rawPayload } = await test.server.inject({ url, headers: token === undefined ? {} : { authorization: `token ${token}` } });
        return { status: statusCode, headers, bytes: rawPayload };
    };

    const filesOf = async (url: string, token: string): Promise<Record<string, ReturnType<typeof JSON.parse>>> => {
        const { status, bytes } = await get(url, token);
        expect(status).to.equal(200);
        return Object.fromEntries([...await unzip(bytes)].map(([name, content]) => [name, name.endsWith('.json') ? JSON.parse(String(content)) : content]));
    };

    lab.test('a private project is exported to those who may read it', async () => {
        for (const [token, status] of [[undefined, 404], [ali.token, 404], ['no-such-token', 401], [eva.token, 200]] as const) {
            expect((await get(`${path}/export`, token)).status).to.equal(status);
        }

        const { headers } = await get(`${path}/export`, eva.token);
        expect(headers).to.include({ 'content-type': 'application/zip', 'cache-control': 'private, no-cache' });
        const files = await filesOf(`${path}/export`, eva.token);
        expect(Object.keys(files)).to.equal(['project.json']);
        expect(files['project.json'].project).to.include({ title: 'Plants', visibility: 'private' });
        expect(files['project.json'].pages[0].elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([{ text: 'Beans' }]);
    });

    lab.test('a HEAD has no body', async () => {
        const { statusCode, rawPayload } = await test.server.inject({ method: 'HEAD', url: `${path}/export`, headers: { authorization: `token ${eva.token}` } });
        expect([statusCode, rawPayload.length]).to.equal([200, 0]);
    });

    lab.test('the history is for its owner and moderators', async () => {
        const moderator = await test.open('mo', { moderator: true });
        const { body: { token: { access_token: scopeless } } } = await test.call('POST', '/tokens', { username: 'eva', password: 'correct horse battery', scope: ['user'] });
        for (const [token, status] of [[undefined, 401], ['no-such-token', 401], [scopeless, 403], [ali.token, 404], [moderator.token, 200]] as const) {
            expect((await get(`${path}/export?history=true`, token)).status, String(token)).to.equal(status);
        }

        await test.call('PATCH', path, { visibility: 'public' }, { token: eva.token });
        expect((await get(`${path}/export?history=true`, ali.token)).status).to.equal(403);
        const { 'history.json': history } = await filesOf(`${path}/export?history=true`, eva.token);
        expect(history.changes.map(({ kind }: { kind: string }) => kind)).to.equal(['create', 'edit', 'edit', 'edit', 'edit', 'edit']);
        expect(history.before.filter(({ field }: { field: string }) => field === 'attributes')).to.equal([{ type: 'element', id: element.split('/').at(-1), field: 'attributes', until: 3, value: { text: 'Tomatoes' } }]);
        expect(history.removed.elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([{ text: 'Weeds' }]);
    });

    lab.test('files are as their schemas say', async () => {
        const files = await filesOf(`${path}/export?history=true`, eva.token);
        for (const name of ['project', 'history']) {
            const { text } = await test.call('GET', `/schemas/${name}.json`);
            expect(text).to.equal(readFileSync(`schemas/${name}.json`, 'utf8'));
            const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));
            expect(validate(files[`${name}.json`]), JSON.stringify(validate.errors)).to.be.true();
        }
    });

    lab.test('a takeout has everything that is the user\'s', async () => {
        await test.call('PATCH', `/users/${eva.id}`, { about: 'I grow plants.' }, { token: eva.token });
        const { headers } = await test.call('POST', `/users/${eva.id}/projects`, { title: 'Old' }, { token: eva.token });
        await test.call('DELETE', String(headers.location), undefined, { token: eva.token });
        const { headers: { location: alis } } = await test.call('POST', `/users/${ali.id}/projects`, { title: 'Shared' }, { token: ali.token });
        await test.call('PUT', `${String(alis)}/members/eva`, { role: 'viewer' }, { token: ali.token });
        const picture = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
        const hash = createHash('sha256').update(picture).digest('hex');
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(fileOf({ title: 'Extra' })) }, { name: `assets/${hash}.svg`, content: picture }]);
        const sent = await test.call('POST', '/users/me/imports', zip, { token: eva.token, headers: { 'content-type': 'application/zip' } });
        expect(sent.status, sent.text).to.equal(201);

        const { body: { collection } } = await test.call('POST', `/users/${eva.id}/collections`, { title: 'Gardens', visibility: 'private' }, { token: eva.token });
        for (const one of [String(alis).split('/').at(-1), path.split('/').at(-1)]) {
            expect((await test.call('PUT', `/users/${eva.id}/collections/${collection.id}/projects/${one}`, {}, { token: eva.token })).status).to.be.below(300);
        }

        await test.database.db.raw(`
            with c as (insert into classes (title, publish, comments, code) values ('Year 5', 'class', true, 'k7pm3xwrd9tz') returning id)
            insert into class_people (class_id, user_id, role, name) select id, ${eva.id}, 'pupil', 'Eva E.' from c`);
        const files = await filesOf(`/users/${eva.id}/takeout`, eva.token);
        expect(files['classes.json'].classes).to.have.length(1);
        expect(files['classes.json'].classes[0]).to.include({ role: 'pupil', name: 'Eva E.' });
        expect(files['classes.json'].classes[0].class.title).to.equal('Year 5');
        expect(files['collections.json'].collections).to.equal([{
            id: collection.id, title: 'Gardens', description: '', visibility: 'private', projects: [String(alis).split('/').at(-1), path.split('/').at(-1)], history: files['collections.json'].collections[0].history
        }]);

        const [project, old] = [path, String(headers.location)].map((one) => one.split('/').at(-1));
        expect(Object.keys(files)).to.equal(['account.json', 'memberships.json', 'collections.json', 'classes.json', 'notices.json', 'comments.json', 'assets.json', 'trash.json', `projects/${project}.zip`, `projects/${sent.body.project.id}.zip`, `trash/${old}.zip`, `assets/${hash}.svg`]);
        expect(files['account.json'].user).to.include({ username: 'eva', about: 'I grow plants.' });
        expect(JSON.stringify(files['account.json'])).to.not.include(eva.token);
        expect(files['memberships.json'].memberships.map(({ project: { title }, role }: { project: { title: string }; role: string }) => [title, role])).to.equal([['Shared', 'viewer']]);
        expect(files['trash.json'].trash.map(({ type }: { type: string }) => type)).to.equal(['project', 'element']);
        expect(files[`assets/${hash}.svg`]).to.equal(picture);
        for (const [name, title] of [[`projects/${project}.zip`, 'Plants'], [`trash/${old}.zip`, 'Old']] as const) {
            const inner = await unzip(files[name]);
            expect([...inner.keys()]).to.equal(['project.json', 'history.json']);
            expect(JSON.parse(String(inner.get('project.json'))).project.title).to.equal(title);
            const back = await test.call('POST', `/users/${ali.id}/imports?visibility=unlisted`, files[name], { token: ali.token, headers: { 'content-type': 'application/zip' } });
            expect([back.status, back.body.project?.title, back.body.project?.visibility]).to.equal([201, title, 'unlisted']);
        }

        expect((await get(`/users/${eva.id}/takeout`, ali.token)).status).to.equal(403);
    });
});
