import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import type { Server } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { notFound } from '../../../src/api/errors/errors';
import { answerRendered, renderedBodies } from '../../../src/api/request/rendered-pages';

export const lab = Lab.script();
const { describe, it, beforeEach } = lab;

describe('answerRendered()', () => {
    let server: Server;
    /** what is stored; null if nothing is */
    let tag: string | undefined;
    let contents: { tag: string; body: string } | undefined;
    let made = 0;

    beforeEach(() => {
        made = 0;
        const bodies = renderedBodies();
        server = hapiServer();
        server.route({
            method: 'GET',
            path: '/',
            handler: async (request, h) => {
                const answer = await answerRendered(h, request, bodies, ['1'], {
                    tag: () => Promise.resolve(tag === undefined ? undefined : { tag, open: true }),
                    contents: () => {
                        ++made;
                        return Promise.resolve(contents && { ...contents, open: true });
                    }
                });
                return answer?.response ?? notFound('thing');
            }
        });
    });

    const get = async (held?: string): Promise<object> => {
        const { statusCode, payload, headers: { etag } } = await server.inject({ url: '/', headers: held === undefined ? {} : { 'if-none-match': held } });
        return { statusCode, payload: statusCode === 404 ? '' : payload, etag, made };
    };

    it('makes a body once for each tag', async () => {
        tag = '1';
        contents = { tag: '1', body: 'one' };
        expect(await get()).to.equal({ statusCode: 200, payload: 'one', etag: '"1"', made: 1 });
        expect(await get()).to.equal({ statusCode: 200, payload: 'one', etag: '"1"', made: 1 });
        tag = '2';
        contents = { tag: '2', body: 'two' };
        expect(await get()).to.equal({ statusCode: 200, payload: 'two', etag: '"2"', made: 2 });
    });

    it('makes a body once for all who ask at the same time, unless it has changed meanwhile', async () => {
        tag = '1';
        contents = { tag: '1', body: 'one' };
        const answers = await Promise.all([get(), get(), get()]);
        expect(answers.at(-1)).to.equal({ statusCode: 200, payload: 'one', etag: '"1"', made: 1 });
        tag = '2';
        contents = { tag: '2', body: 'two' };
        const newer = await Promise.all([get(), get('"3"')]);
        expect(newer[0]).to.include({ payload: 'two' });
        expect(newer[1]).to.include({ payload: 'two' });
    });

    it('returns the tag of what it read, if that has changed meanwhile', async () => {
        tag = '1';
        contents = { tag: '2', body: 'two' };
        expect(await get()).to.equal({ statusCode: 200, payload: 'two', etag: '"2"', made: 1 });
        tag = '2';
        expect(await get()).to.equal({ statusCode: 200, payload: 'two', etag: '"2"', made: 1 });
    });

    it('reads no content if the client has the tag', async () => {
        tag = '7';
        for (const held of ['"7"', '*', '"1", W/"7"', '"7-gzip"']) {
            expect(await get(held)).to.equal({ statusCode: 304, payload: '', etag: '"7"', made: 0 });
        }
    });

    it('treats a quoted star as a tag', async () => {
        tag = '1';
        contents = { tag: '1', body: 'one' };
        expect(await get('"*"')).to.equal({ statusCode: 200, payload: 'one', etag: '"1"', made: 1 });
    });

    it('is not found if the thing is missing, or deleted while it is read', async () => {
        tag = undefined;
        expect(await get('"1"')).to.equal({ statusCode: 404, payload: '', etag: undefined, made: 0 });
        contents = undefined;
        expect(await get()).to.equal({ statusCode: 404, payload: '', etag: undefined, made: 1 });
        tag = '1';
        expect(await get('"2"')).to.equal({ statusCode: 404, payload: '', etag: undefined, made: 2 });
    });

    it('is not found after a deletion, even if it is in the cache', async () => {
        [tag, contents] = ['1', { tag: '1', body: 'one' }];
        await get();
        tag = undefined;
        expect(await get()).to.equal({ statusCode: 404, payload: '', etag: undefined, made: 1 });
    });

    it('drops a body after a while, although nobody asks for it', async () => {
        const bodies = renderedBodies(50);
        server.route({
            method: 'GET',
            path: '/short',
            handler: async (request, h) => {
                const source = { tag: () => Promise.resolve({ tag: '1', open: true }), contents: () => Promise.resolve({ tag: '1', open: true, body: String(++made) }) };
                return (await answerRendered(h, request, bodies, ['1'], source))?.response ?? notFound('thing');
            }
        });

        const short = async (): Promise<string> => (await server.inject('/short')).payload;
        expect([await short(), await short(), bodies.size]).to.equal(['1', '1', 1]);
        await sleep(200);
        expect([bodies.size, await short(), bodies.size]).to.equal([0, '2', 1]);
    });

    it('keeps a bounded number of bodies', async () => {
        const bodies = renderedBodies();
        let body = '';
        server.route({
            method: 'GET',
            path: '/{id}',
            handler: async (request, h) => {
                const source = { tag: () => Promise.resolve({ tag: '1', open: true }), contents: () => Promise.resolve({ tag: '1', open: true, body }) };
                return (await answerRendered(h, request, bodies, [String(request.params.id)], source))?.response ?? notFound('thing');
            }
        });

        body = 'x'.repeat(1024 * 1024);
        for (let i = 0; i < 20; ++i) {
            await server.inject(`/${i}`);
        }

        expect(bodies.size).to.equal(15);
        body = 'x'.repeat(5 * 1024 * 1024);
        await server.inject('/too-large');
        expect(bodies.size).to.equal(15);
        // However small they are.
        expect(bodies.max).to.equal(4000);
    });
});
