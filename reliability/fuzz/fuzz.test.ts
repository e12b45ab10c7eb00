import { expect } from '@hapi/code';
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { script } from '@hapi/lab';

import { startTestServer } from '../../test/support/server';
import type { TestServer } from '../../test/support/server';
import { Fuzz } from './fuzz';

export const lab = script();

lab.experiment('Requests made of the description', () => {

    let server: TestServer;
    let fuzz: Fuzz;
    let planted: ((h: ResponseToolkit) => ResponseObject | Promise<ResponseObject>) | undefined;

    lab.before(async () => {
        server = await startTestServer();
        server.server.ext('onPreHandler', async (request, h) => {
            if (planted === undefined || request.method !== 'get' || request.route.path !== '/users/{user}/projects/{project}/pages') {
                return h.continue;
            }

            request.app.planted = true;
            return (await planted(h)).takeover();
        });
        fuzz = await Fuzz.create(server, 2000);
    });

    lab.after(() => server.stop());

    lab.test('are answered as it says', async () => {
        // What a busy machine is slow to answer is no fault here.
        const { sent, finding } = await (await Fuzz.create(server)).run(1, 200);
        expect(finding).to.be.undefined();
        expect(sent).to.be.at.least(200);
    });

    const wrong: readonly (readonly [string, string, NonNullable<typeof planted>])[] = [
        ['a fault of the server', 'a fault of the server\'s', () => {
            throw new Error('planted');
        }],
        ['a body that is not described', 'must have required property', (h) => h.response({ status: 'success' }).etag('1')],
        ['a status that is not described', 'status 202 is not described', (h) => h.response({}).code(202)],
        ['an answer that never comes', 'no answer: Error: nothing within 2000 ms', () => new Promise(() => {})]
    ];
    for (const [what, told, answer] of wrong) {
        lab.test(`find ${what}, and what shows it`, async () => {
            planted = answer;
            const { finding } = await fuzz.run(1, 1000, 0);
            planted = undefined;
            expect(finding?.fault).to.include(told);
            expect(finding?.requests.at(-1)?.url).to.include('/pages');
        });
    }
});
