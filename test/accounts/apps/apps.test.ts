import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_APPS } from '../../../src/limits';
import { count } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const fields = { name: 'Kitchen editor', url: 'https://editor.example', redirect_uris: ['https://editor.example/signed-in'] };

describe('apps', () => {
    let server: TestServer;
    let ada: Actor;

    before(async () => {
        server = await startTestServer();
        ada = await server.open('ada');
    });

    after(() => server.stop());

    const send = (method: string, path: string, body?: object, { token }: { token: string } = ada): Promise<Answer> => server.call(method, `/users/me/apps${path}`, body, { token });

    it('are registered, listed newest first, changed and deleted by their owner', async () => {
        const first = await send('POST', '', fields);
        expect(first.status, first.text).to.equal(201);
        const { app } = first.body;
        expect(app).to.include({ name: 'Kitchen editor', url: 'https://editor.example', owner: { id: ada.id, username: 'ada' }, redirect_uris: fields.redirect_uris, confidential: false });
        expect(first.body.client_secret).to.be.undefined();
        expect(first.headers.location).to.equal(`/apps/${app.id}`);

        const second = await send('POST', '', { ...fields, name: 'Другой' });
        expect((await send('GET', '')).body.apps.map(({ name }: { name: string }) => name)).to.equal(['Другой', 'Kitchen editor']);

        const changed = await send('PATCH', `/${app.id}`, { redirect_uris: ['org.example.app:/done'] });
        expect(changed.body.app).to.equal({ ...app, redirect_uris: ['org.example.app:/done'] });

        const renamed = await send('PATCH', `/${app.id}`, { name: 'Garden editor' });
        expect(renamed.body.app).to.equal({ ...app, name: 'Garden editor', redirect_uris: ['org.example.app:/done'] });
        const moved = await send('PATCH', `/${app.id}`, { url: 'https://garden.example' });
        expect(moved.body.app).to.equal({ ...renamed.body.app, url: 'https://garden.example' });

        expect((await send('DELETE', `/${app.id}`)).body.app.id).to.equal(app.id);
        expect((await send('DELETE', `/${app.id}`)).status).to.equal(404);
        expect((await send('GET', '')).body.apps).to.equal([second.body.app]);
        expect((await send('DELETE', `/${second.body.app.id}`)).status).to.equal(200);
    });

    it('are shown to everybody without what is their owner\'s, until they or their owner are deleted', async () => {
        const eve = await server.open('eve');
        const { body: { app: { redirect_uris: _uris, confidential: _confidential, ...shown } } } = await send('POST', '', { ...fields, confidential: true }, eve);
        expect((await server.call('GET', `/apps/${shown.id}`)).body).to.equal({ status: 'success', app: shown });
        expect((await server.call('DELETE', `/users/${eve.id}`, {}, { token: eve.token })).status).to.equal(200);
        expect((await server.call('GET', `/apps/${shown.id}`)).status).to.equal(404);
    });

    it('that registered themselves have no owner', async () => {
        const { rows: [{ id }] } = await server.database.db.raw(`insert into apps (name, url, redirect_uris) values ('By itself', 'https://a.example', '{https://a.example/done}') returning id`);
        expect((await server.call('GET', `/apps/${id}`)).body.app).to.include({ name: 'By itself', owner: null });
    });

    it('that are confidential get a secret, of which only the hash is stored', async () => {
        const made = await send('POST', '', { ...fields, confidential: true });
        expect(made.headers['cache-control']).to.equal('no-store');
        expect(made.body.client_secret).to.match(/^[A-Za-z0-9_-]{43}$/);
        expect(await count(server, `from apps where secret_hash = sha256(?::bytea)`, [made.body.client_secret])).to.equal(1);
        expect((await send('GET', '')).text).to.not.contain(made.body.client_secret);
        expect((await send('DELETE', `/${made.body.app.id}`)).body.app.confidential).to.equal(true);
    });

    it('send people to https as it is written, to this device, or to a private scheme with a dot, and nowhere else', async () => {
        const allowed = [
            'https://a.example/', 'https://a.example', 'https://a.example:8443/done?from=pagewright', 'http://127.0.0.1/done', 'http://127.0.0.1:5173/', 'http://[::1]/done', 'http://localhost:3000/done',
            'org.example.app:/done', 'org.example.app://done/here'
        ];
        const refused = [
            'http://a.example/', 'http://127.0.0.1.a.example/', 'http://127.1/', 'http://2130706433/', 'http://localhost.a.example/', 'https://a.example/#done', 'https://ada:secret@a.example/', 'http://ada@127.0.0.1/', 'https://*.a.example/', 'https:a.example',
            'https:\\\\a.example', 'https://a.example\\@b.example', 'HTTPS://a.example/', 'https://A.example/', 'https://ä.example/', 'https://a.example/a b', ' https://a.example/', 'https://a.example/\t', 'javascript:alert(1)', 'data:text/html,x', 'myapp:/done', 'org.example.app',
            'org.example.app:done', 'ORG.example.app:/done', 'file:///etc/passwd', 'about:blank', 'blob:https://a.example/1', 'a..b:/x', 'urn:ietf:wg:oauth:2.0:oob', '/done', '', '*'
        ];
        for (const uri of allowed) {
            const made = await send('POST', '', { ...fields, redirect_uris: [uri] });
            expect(made.status, uri).to.equal(201);
            expect(made.body.app.redirect_uris).to.equal([uri]);
            await send('DELETE', `/${made.body.app.id}`);
        }

        for (const uri of refused) {
            expect((await send('POST', '', { ...fields, redirect_uris: [uri] })).status, uri).to.equal(400);
        }
    });

    it('have a name of one visible line and the address of a website', async () => {
        for (const wrong of [
            { name: '' }, { name: '  ' }, { name: 'Two\nlines' }, { name: 'in\u200Bvisible' }, { name: '\u202Erotide' }, { name: 'x'.repeat(81) }, { url: 'javascript:alert(1)' }, { url: 'editor.example' }, { url: `https://a.example/${'x'.repeat(512)}` },
            { redirect_uris: [] }, { redirect_uris: Array(11).fill('https://a.example/') }, { redirect_uris: 'https://a.example/' }, { confidential: 'yes' }, { trusted: true }
        ]) {
            expect((await send('POST', '', { ...fields, ...wrong })).status, JSON.stringify(wrong)).to.equal(400);
        }

        expect((await send('PATCH', '/1', {})).status).to.equal(400);
        expect((await send('PATCH', '/1', { confidential: true })).status).to.equal(400);
    });

    it('are limited by account, also at once', async () => {
        const eve = await server.open();
        const answers = await Promise.all(Array.from({ length: MAX_APPS + 3 }, () => send('POST', '', fields, eve)));
        expect(answers.filter(({ status }) => status === 201)).to.have.length(MAX_APPS);
        expect(answers.filter(({ body }) => body.code === 'app_limit')).to.have.length(3);
        expect((await send('GET', '', undefined, eve)).body.apps).to.have.length(MAX_APPS);
    });

    it('of somebody else cannot be listed or changed, and are not found under another name', async () => {
        const eve = await server.open();
        const { body: { app } } = await send('POST', '', fields, eve);
        for (const [method, path, body, status] of [
            ['GET', `${eve.id}/apps`, undefined, 403], ['POST', `${eve.id}/apps`, fields, 403], ['PATCH', `${eve.id}/apps/${app.id}`, { name: 'Mine' }, 403], ['DELETE', `${eve.id}/apps/${app.id}`, undefined, 403],
            ['PATCH', `${ada.id}/apps/${app.id}`, { name: 'Mine' }, 404], ['DELETE', `${ada.id}/apps/${app.id}`, undefined, 404]
        ] as const) {
            expect((await server.call(method, `/users/${path}`, body, { token: ada.token })).status, `${method} ${path}`).to.equal(status);
        }
    });
});
