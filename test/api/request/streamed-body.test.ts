import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { ChangedWhileSent, streamedBody } from '../../../src/api/request/streamed-body';

export const lab = Lab.script();
const { describe, it } = lab;

describe('streamedBody()', () => {
    /** The log if the second piece fails. */
    const faultsFor = async (error: Error): Promise<unknown[]> => {
        const server = hapiServer({ debug: false });
        const faults: unknown[] = [];
        server.events.on({ name: 'request', channels: 'app' }, (_request, event) => faults.push(event.error));
        server.route({
            method: 'GET',
            path: '/',
            handler: (request) => streamedBody(request, (async function* () {
                yield await Promise.resolve('[1');
                throw error;
            })(), 100)
        });
        await expect(server.inject('/')).to.reject();
        return faults;
    };

    it('is cut short if a piece fails, which is logged unless a change was the reason', async () => {
        const error = new Error('No such piece');
        expect(await faultsFor(error)).to.equal([error]);
        expect(await faultsFor(new ChangedWhileSent())).to.equal([]);
    });
});
