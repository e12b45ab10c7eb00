import { expect } from '@hapi/code';
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { script } from '@hapi/lab';

import { statusOf } from '../../src/api/request/responses';
import { startTestServer } from '../../test/support/server';
import type { TestServer } from '../../test/support/server';
import { Wire } from './wire/wire';

export const lab = script();

lab.experiment('Bad inputs over connections', () => {

    let server: TestServer;
    let wire: Wire;
    let end: string | undefined;
    let planted: ((h: ResponseToolkit) => ResponseObject | Promise<ResponseObject>) | undefined;

    lab.before(async () => {
        server = await startTestServer();
        server.server.ext('onPreResponse', async (request, h) => {
            if (planted === undefined || request.method === 'get' || statusOf(request.response) < 400) {
                return h.continue;
            }

            request.app.planted = true;
            return await planted(h);
        });
        await server.server.start();
        wire = await Wire.create(Number(server.server.info.port), server, () => end);
    });

    lab.after(() => server.stop());

    lab.test('are refused, and change nothing', async () => {
        const { sent, kinds, finding } = await wire.run(1, 400);
        expect(finding).to.be.undefined();
        expect(sent).to.equal(400);
        expect(kinds.size).to.be.above(15);
        expect(server.faults).to.equal([]);
    });

    lab.test('are the same for the same seed', async () => {
        for (let seed = 1; seed <= 60; ++seed) {
            expect(await wire.input(seed)).to.equal(await wire.input(seed));
        }
    });

    const wrong: readonly (readonly [string, string, NonNullable<typeof planted>])[] = [
        ['a fault of the server', 'the answer is 500', (h) => h.response('{}').code(500)],
        ['one that is accepted', 'it was not refused: 200', (h) => h.response('{}')],
        ['one that is refused, and leaves something', 'what is stored has changed', async (h) => {
            await server.database.db.raw(`update projects set title = title || 'x'`);
            return h.response('{}').code(400);
        }]
    ];
    for (const [what, told, answer] of wrong) {
        lab.test(`show ${what}`, async () => {
            planted = answer;
            const { finding } = await wire.run(1, 100);
            planted = undefined;
            expect(finding?.fault).to.include(told);
        });
    }

    lab.test('show the end of the process', async () => {
        end = 'the process has ended: 1';
        const { finding } = await wire.run(1, 20);
        end = undefined;
        expect(finding?.fault).to.include('the process has ended: 1');
    });
});
