import { setTimeout as sleep } from 'node:timers/promises';

import * as Boom from '@hapi/boom';
import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import { script } from '@hapi/lab';

import { presentAlone, resultOrError } from '../../../src/rules/conditional-write';
import { fixedCors, otherMethods } from '../../../src/api/request/cross-origin';
import { errors } from '../../../src/api/request/error-response';
import { fault, isFault } from '../../../src/api/errors/errors';
import { byteBudgets } from '../../../src/api/protection/bytes';
import { clientLimits } from '../../../src/api/request/client-limits';
import { answerRendered, renderedBodies } from '../../../src/api/request/rendered-pages';
import { fromCacheFirst, listCache, respondShared, sharedResponse } from '../../../src/api/request/shared-responses';
import { validationFailed, validationOptions } from '../../../src/api/request/validation-errors';

export const lab = script();

/** Parts that routes share, each tested on a server of its own. */
lab.experiment('Parts', () => {

    const get = async (server: Server, url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string; tag: unknown; link: unknown }> => {
        const { statusCode, payload, headers: { etag, link } } = await server.inject({ url, headers });
        return { status: statusCode, body: payload, tag: etag, link };
    };

    lab.test('errors of libraries have the same shape as ours', async () => {
        const server = hapiServer();
        await server.register({ plugin: errors, options: { scopeNames: { user: 'user', projects: 'projects' }, budgets: byteBudgets(server, clientLimits, 0), limits: clientLimits } });
        const made = { plain: Boom.teapot('A pot.'), text: Boom.teapot('A pot.', 'text'), nothing: Boom.teapot('A pot.', null), odd: Boom.teapot('A pot.', { odd: true }) };
        for (const [name, error] of Object.entries(made)) {
            server.route({ method: 'GET', path: `/${name}`, handler: () => Promise.reject(error) });
            const { statusCode, result } = await server.inject(`/${name}`);
            expect(statusCode).to.equal(418);
            expect(JSON.parse(String(result))).to.include({ statusCode: 418, error: 'I\'m a teapot', message: 'A pot.', code: 'error' });
        }
    });

    lab.test('an internal error is distinguished from other errors', () => {
        expect(isFault(fault('not_found'))).to.be.true();
        for (const other of [new Error('x'), Boom.badRequest(), Boom.badRequest('x', 'text'), Boom.badRequest('x', {}), { data: { code: 'x' } }, undefined, null, 'x']) {
            expect(isFault(other)).to.be.false();
        }
    });

    lab.test('paths without cross-origin rules also report their methods', async () => {
        const server = hapiServer();
        server.route([
            { method: 'GET', path: '/closed', handler: () => 'x' },
            { method: 'GET', path: '/fixed', handler: () => 'x', options: { cors: fixedCors } }
        ]);
        await server.register({ plugin: otherMethods });
        for (const path of ['/closed', '/fixed']) {
            const { statusCode, headers } = await server.inject({ method: 'OPTIONS', url: path });
            expect([statusCode, headers.allow]).to.equal([204, 'OPTIONS, GET, HEAD']);
        }
    });

    lab.test('input with too many errors to list is rejected too', async () => {
        const server = hapiServer({ routes: { validate: { options: validationOptions, failAction: validationFailed } } });
        server.route({ method: 'GET', path: '/', handler: () => 'x', options: { validate: { query: () => Promise.reject(new RangeError('Maximum call stack size exceeded')) } } });
        await server.register({ plugin: errors, options: { scopeNames: { user: 'user', projects: 'projects' }, budgets: byteBudgets(server, clientLimits, 0), limits: clientLimits } });
        const { statusCode, payload } = await server.inject('/');
        expect(statusCode).to.equal(400);
        expect(JSON.parse(payload)).to.include({ code: 'validation_failed', details: [{ path: '', message: 'there are too many errors to list them' }] });
    });

    lab.test('a write that did not happen returns the current state, or that it was deleted', async () => {
        const missed = { allowed: true, written: null };
        const cases = [
            [{ revision: 1, tags: null }, '{}', 409], [{ revision: null, tags: ['1'] }, '{}', 412], [{ revision: 1, tags: ['1'] }, '{}', 409],
            [{ revision: 1, tags: null }, null, 404], [{ revision: 1, tags: null }, undefined, 404]
        ] as const;
        for (const [{ revision, tags }, json, status] of cases) {
            const settled = resultOrError(missed, 'thing', { revision, tags: tags === null ? null : [...tags] }, () => Promise.resolve(presentAlone(json === undefined ? undefined : { json })));
            const error = await expect(settled).to.reject(Boom.Boom);
            expect(error.output.statusCode).to.equal(status);
        }
    });

    lab.test('a rendered body is made once for each tag', async () => {
        const server = hapiServer();
        const bodies = renderedBodies();
        let tag: string | undefined = '1';
        let gone = false;
        let made = 0;
        server.route({
            method: 'GET',
            path: '/{any}',
            handler: async (request, h) => {
                const source = { tag: () => Promise.resolve(tag === undefined ? undefined : { tag, open: true }), contents: () => Promise.resolve(gone ? undefined : { tag: tag ?? '', open: true, body: `{"made":${++made}}` }) };
                return (await answerRendered(h, request, bodies, [request.path], source))?.response ?? h.response('gone').code(404);
            }
        });

        expect(await get(server, '/a')).to.include({ status: 200, body: '{"made":1}', tag: '"1"' });
        expect(await get(server, '/a')).to.include({ status: 200, body: '{"made":1}', tag: '"1"' });
        expect(await get(server, '/b')).to.include({ body: '{"made":2}' });
        for (const held of ['"1"', '"0", "1"', 'W/"1"', '*']) {
            expect(await get(server, '/a', { 'if-none-match': held })).to.include({ status: 304, body: '', tag: '"1"' });
        }

        tag = '2';
        expect(await get(server, '/a', { 'if-none-match': '"1"' })).to.include({ status: 200, body: '{"made":3}', tag: '"2"' });
        // Deleted between the two queries.
        tag = '3';
        gone = true;
        expect(await get(server, '/a')).to.include({ status: 404 });
        tag = undefined;
        expect(await get(server, '/a')).to.include({ status: 404 });
        expect(made).to.equal(3);
    });

    const sharing = (maxAge: number): { server: Server; made: () => number; size: () => number | undefined } => {
        const server = hapiServer();
        const cache = listCache(maxAge);
        let made = 0;
        const make = async (): Promise<ReturnType<typeof sharedResponse>> => {
            await sleep(5);
            return sharedResponse(`{"made":${++made}}`, made === 1 ? { weak: true, next: 'n' } : {});
        };

        server.route({ method: 'GET', path: '/{any*}', handler: (request, h) => respondShared(h, request, cache, `${request.path}?b`, make), options: { ext: fromCacheFirst(cache) } });
        return { server, made: () => made, size: () => cache?.size };
    };

    lab.test('a response is shared by identical requests for a while', async () => {
        const { server, made } = sharing(60);
        const together = await Promise.all(['/a?b', '/a?b', '/a?b&'].map((url) => get(server, url)));
        const { tag } = await get(server, '/a?b');
        expect(tag).to.match(/^W\/"[\w-]{22}"$/);
        for (const each of together) {
            expect(each).to.equal({ status: 200, body: '{"made":1}', tag, link: '</a?after=n>; rel="next"' });
        }

        for (const held of [String(tag), '*']) {
            expect(await get(server, '/a?b', { 'if-none-match': held })).to.include({ status: 304, body: '', tag });
        }

        const other = await get(server, '/c?b');
        expect(other).to.include({ body: '{"made":2}', link: undefined });
        expect(other.tag).to.match(/^"[\w-]{22}"$/);
        expect(made()).to.equal(2);
        await sleep(70);
        expect(await get(server, '/a?b', { 'if-none-match': String(tag) })).to.include({ status: 200, body: '{"made":3}' });
    });

    lab.test('shared responses are dropped when they expire', async () => {
        const { server, size } = sharing(30);
        await Promise.all(['/a?b', '/c?b'].map((url) => get(server, url)));
        expect(size()).to.equal(2);
        await sleep(60);
        expect(size()).to.equal(0);
    });

    lab.test('shared responses are limited in number, and those that many wait for are still sent', async () => {
        const { server, made, size } = sharing(60_000);
        const urls = Array.from({ length: 1050 }, (_, i) => `/${i}?b`);
        const all = await Promise.all(urls.map((url) => get(server, url)));
        expect(all.every(({ status }) => status === 200)).to.be.true();
        expect([made(), size()]).to.equal([1050, 1000]);
    });

    lab.test('shared responses are limited by the size of their bodies and keys', async () => {
        const { server, size } = sharing(60_000);
        for (let i = 0; i < 60; ++i) {
            await get(server, `/${'x'.repeat(200_000)}${i}?b`);
        }

        // 8 MiB of keys of 200 KB.
        expect(size()).to.equal(41);
    });

    lab.test('without a cache time, every response is made again', async () => {
        const { server, made } = sharing(0);
        await get(server, '/a');
        expect(await get(server, '/a')).to.include({ status: 200, body: '{"made":2}' });
        expect(made()).to.equal(2);
    });
});
