import { expect } from '@hapi/code';
import { server as hapiServer } from '@hapi/hapi';
import * as Lab from '@hapi/lab';

import { isFault } from '../../../src/api/errors/errors';
import { slotsByCaller } from '../../../src/api/protection/places';

export const lab = Lab.script();
const { describe, it } = lab;

describe('places()', () => {
    it('lets one address have half of them, and all callers together no more than there are', async () => {
        const server = hapiServer();
        const take = slotsByCaller(4, 'tries too much at once', 0);
        const giveBack: (() => void)[] = [];
        server.route({
            method: 'GET',
            path: '/',
            handler: (request) => {
                try {
                    giveBack.push(take(request));
                    return 'taken';
                }
                catch (error) {
                    return isFault(error) ? error.data.code : 'unknown';
                }
            }
        });
        const from = async (remoteAddress: string): Promise<string> => (await server.inject({ url: '/', remoteAddress })).payload;

        expect([await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.1')]).to.equal(['taken', 'taken', 'too_much_in_progress']);
        expect([await from('10.0.0.2'), await from('10.0.0.2'), await from('10.0.0.3')]).to.equal(['taken', 'taken', 'overloaded']);
        giveBack.forEach((back) => back());
        expect([await from('10.0.0.3'), await from('10.0.0.1')]).to.equal(['taken', 'taken']);
    });
});
