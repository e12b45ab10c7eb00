import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { errorDefinitions } from '../../../src/api/errors/registry';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();

const problem = 'application/problem+json';
const json = 'application/json; charset=utf-8';

lab.experiment('Errors as RFC 9457 has them', () => {

    let server: TestServer;
    let ada: Actor;

    lab.before(async () => {
        server = await startTestServer();
        ada = await server.open('ada');
    });

    lab.after(() => server.stop());

    const send = (accept: string | undefined, method = 'GET', url = '/projects/9000000', body?: object): Promise<Answer> => {
        return server.call(method, url, body, { token: ada.token, headers: accept === undefined ? {} : { accept } });
    };

    for (const [accept, type] of [
        [undefined, json], ['*/*', json], ['application/json', json], ['text/html', json], ['application/*', json],
        [problem, problem], ['APPLICATION/Problem+JSON', problem], ['application/json, application/problem+json', problem], ['application/problem+json, application/json;q=0.9', problem],
        ['application/problem+json;q=0.5, */*;q=0.1', problem], ['application/problem+json; q=0.9 , application/json', json], ['application/problem+json;q=0', json],
        ['application/problem+json;q=0.2, */*', json], ['application/problem+json;q=x', json], ['application/problem+jsonx', json], [`,;q,=${problem}`, json]
    ] as const) {
        lab.test(`are what "${accept}" prefers: ${type === problem}`, async () => {
            const answer = await send(accept);
            expect([answer.status, answer.headers['content-type']]).to.equal([404, type]);
            expect(String(answer.headers.vary).split(',')).to.include('accept');
        });
    }

    lab.test('say the same as other errors do', async () => {
        const url = `/users/${ada.id}/projects`;
        const [plain, { headers, body, status }] = [await send(undefined, 'POST', url, { title: 1, other: 2 }), await send(problem, 'POST', url, { title: 1, other: 2 })];
        expect(status).to.equal(400);
        expect(body).to.equal({
            type: '/docs/errors#validation_failed', title: 'Validation failed', status: 400, detail: plain.body.message, instance: url,
            code: 'validation_failed', details: plain.body.details, request_id: headers['x-request-id']
        });
        expect(plain.body.details).to.have.length(2);
    });

    lab.test('have what a conflict has, to merge with', async () => {
        const { body: { project } } = await send(undefined, 'POST', '/users/me/projects', { title: 'One' });
        const url = `/users/${ada.id}/projects/${project.id}`;
        await send(undefined, 'PATCH', url, { title: 'Two' });
        const [plain, { body }] = [await send(undefined, 'PATCH', url, { title: 'Three', revision: 1 }), await send(problem, 'PATCH', url, { title: 'Three', revision: 1 })];
        expect([body.status, body.code, body.title]).to.equal([409, 'revision_conflict', 'Revision conflict']);
        for (const field of ['current', 'base', 'conflicts', 'changed_by']) {
            expect(body[field], field).to.equal(plain.body[field]);
        }
    });

    lab.test('name a page that says what each code means', async () => {
        const { text, headers } = await server.call('GET', '/docs/errors');
        expect(headers['content-type']).to.equal('text/html; charset=utf-8');
        for (const code of Object.keys(errorDefinitions)) {
            expect(text).to.contain(`<dt id="${code}">`);
        }

        expect(text).to.not.contain('`');
    });
});

lab.experiment('A PATCH of a type that is not implemented', () => {

    let server: TestServer;
    let ada: Actor;
    let paths: string[];

    lab.before(async () => {
        server = await startTestServer();
        ada = await server.open('ada');
        const { body: { project, page } } = await server.call('POST', '/users/me/projects', { title: 'One' }, { token: ada.token });
        const { body: { element } } = await server.call('POST', `/users/me/projects/${project.id}/pages/${page.id}/elements`, { type: 'text', attributes: { text: 'a', color: 'red' } }, { token: ada.token });
        const of = `/users/${ada.id}`;
        paths = [of, `${of}/projects/${project.id}`, `${of}/projects/${project.id}/pages/${page.id}`, `${of}/projects/${project.id}/pages/${page.id}/elements/${element.id}`];
    });

    lab.after(() => server.stop());

    for (const type of ['application/merge-patch+json', 'application/json-patch+json', 'application/vnd.example+json; charset=utf-8', 'text/plain', 'application/json-seq']) {
        lab.test(`is 415 with the type that is: ${type}`, async () => {
            for (const path of paths) {
                const before = (await server.call('GET', path, undefined, { token: ada.token })).text;
                const answer = await server.call('PATCH', path, '{"attributes":{"text":"b"}}', { token: ada.token, headers: { 'content-type': type } });
                expect([answer.status, answer.body.code, answer.headers['accept-patch']], path).to.equal([415, 'unsupported_media_type', 'application/json']);
                expect(answer.body.message).to.contain('"Content-Type: application/json"');
                expect((await server.call('GET', path, undefined, { token: ada.token })).text).to.equal(before);
            }
        });
    }

    lab.test('is known before by OPTIONS (RFC 5789 section 3.1)', async () => {
        for (const path of paths) {
            expect((await server.call('OPTIONS', path)).headers['accept-patch']).to.equal('application/json');
        }

        expect((await server.call('OPTIONS', '/projects')).headers['accept-patch']).to.be.undefined();
    });

    lab.test('is 415 without that header for other methods', async () => {
        const { status, headers } = await server.call('POST', '/users/me/projects', '{}', { token: ada.token, headers: { 'content-type': 'text/plain' } });
        expect([status, headers['accept-patch']]).to.equal([415, undefined]);
    });
});
