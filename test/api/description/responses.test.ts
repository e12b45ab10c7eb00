import { expect } from '@hapi/code';
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { script } from '@hapi/lab';

import { fault } from '../../../src/api/errors/errors';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

type Answer = (h: ResponseToolkit) => ResponseObject;

function refused(code: 'malformed_path' | 'username_taken'): Answer {
    return () => {
        throw fault(code);
    };
}

/** Wrong responses of a route, and the expected messages. */
const wrong: readonly (readonly [string, string, Answer, string])[] = [
    ['a field with another value', '/health', (h) => h.response({ status: 'well' }), 'data/status must be equal to constant'],
    ['a field more', '/health', (h) => h.response({ status: 'success', more: 1 }), 'data must NOT have additional properties'],
    ['a field less', '/ready', (h) => h.response({}), 'data must have required property \'status\''],
    ['no body', '/health', (h) => h.response().code(200), 'data must be object'],
    ['another status', '/health', (h) => h.response({ status: 'success' }).code(202), '202 is not described'],
    ['a body of a 304', '/featured-tags', (h) => h.response({ status: 'success' }).code(304).etag('1'), 'a body is not described'],
    ['a header more', '/health', (h) => h.response({ status: 'success' }).location('/'), 'the header Location is not described'],
    ['a header less', '/featured-tags', (h) => h.response({ status: 'success', featured: [] }), 'the header ETag is missing'],
    ['a header with another value', '/projects', (h) => h.response({ status: 'success', projects: [], next: null }).etag('1').header('link', 'next'), 'data must match pattern'],
    ['an error with a code of another operation', '/health', refused('malformed_path'), 'data/code must be equal to one of the allowed values'],
    ['an error with a status of another operation', '/health', refused('username_taken'), '409 is not described'],
    ['an error where no operation is', '/nowhere', (h) => h.response({ message: 'No.' }).code(404), 'data must have required property \'statusCode\'']
];

lab.experiment('A response that does not match its description', () => {

    let server: TestServer;
    let answer: Answer | undefined;

    lab.before(async () => {
        server = await startTestServer();
        server.server.ext('onPreAuth', (_request, h) => answer?.(h).takeover() ?? h.continue);
    });

    lab.after(() => server.stop());

    lab.afterEach(() => {
        answer = undefined;
    });

    for (const [what, path, made, said] of wrong) {
        lab.test(`fails the test that asked for it: ${what}`, async () => {
            answer = made;
            const error = await expect(server.call('GET', path)).to.reject(Error);
            expect(error.message).to.startWith('An answer is not as it is described:\n').and.include(`GET ${path}`).and.include(said);

            answer = undefined;
            expect((await server.call('GET', '/health')).status).to.equal(200);
        });
    }

    lab.test('fails the file that requested it over a connection', async () => {
        const other = await startTestServer();
        other.server.ext('onPreAuth', (_request, h) => h.response({ status: 'well' }).takeover());
        expect((await other.server.inject('/health')).statusCode).to.equal(200);
        await expect(other.stop()).to.reject(Error, /GET \/health: .*data\/status must be equal to constant/);
    });
});

lab.experiment('An accepted request that is not described', () => {
    lab.test('fails the test that sent it', async () => {
        const server = await startTestServer();
        const { id, token } = await server.open();
        server.server.ext('onPreHandler', (request, h) => {
            Object.assign(request.orig, { payload: { ...Object(request.payload), more: 1 } });
            return h.continue;
        });
        await expect(server.call('PATCH', `/users/${id}`, { language: 'fr' }, { token })).to.reject(Error, /requestBody|paths .*additional properties/);
        await server.stop();
    });
});
