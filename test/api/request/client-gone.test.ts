import { once } from 'node:events';
import { Socket } from 'node:net';

import { expect } from '@hapi/code';
import { Server } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { ClientGone, signalOf } from '../../../src/api/request/client-gone';
import { startTestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the signal for the work of a request', () => {
    it('is aborted already if the client left before anybody asked for it', async () => {
        const server = new Server({ port: 0, host: '127.0.0.1' });
        const client = new Socket();
        const asked = new Promise<AbortSignal>((resolve) => {
            server.route({ method: 'GET', path: '/work', handler: async (request, h) => {
                const closed = once(request.raw.res, 'close');
                client.destroy();
                await closed;
                resolve(signalOf(request));
                return h.abandon;
            } });
        });
        await server.start();
        client.connect(Number(server.info.port), '127.0.0.1');
        client.write('GET /work HTTP/1.1\r\nhost: x\r\n\r\n');
        const signal = await asked;
        expect(signal.reason).to.be.instanceof(ClientGone);
        await server.stop();
    });

    it('is no error of the service if a handler ends with its reason', async () => {
        const { server, faults, stop } = await startTestServer();
        server.route({ method: 'GET', path: '/gone', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(new ClientGone()) });
        await server.inject('/gone');
        expect(faults).to.equal([]);
        await stop();
    });
});
