import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { validRoutes } from '../support/routes-again';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = script();

lab.experiment('Routes of a second test server', () => {

    let first: TestServer;
    let second: TestServer;

    lab.before(async () => {
        first = await startTestServer();
        second = await startTestServer();
    });

    lab.after(async () => {
        await first.stop();
        await second.stop();
    });

    lab.test('have the settings of those of the first, which hapi has checked', () => {
        const settingsOf = ({ server }: TestServer): string[] => server.table().map(({ method, path, settings }) => JSON.stringify([method, path, settings]));
        expect(settingsOf(second)).to.equal(settingsOf(first));
    });

    lab.test('are not checked again, unless hapi has changed their options', () => {
        const checked = second.server.table().filter(({ method, path }) => !validRoutes.has(`${method} ${path}`));
        expect(checked.length).to.be.below(10);
        expect(checked.every(({ settings }) => settings.ext !== undefined)).to.be.true();
        expect(validRoutes.size).to.be.above(150);
    });

    lab.test('are checked if the first had no such route', () => {
        const options = { app: { cost: 'cheap' as const }, nonsense: true };
        expect(() => second.server.route({ method: 'GET', path: '/nonsense', handler: () => 'x', options })).to.throw(/"nonsense" is not allowed/);
    });
});
