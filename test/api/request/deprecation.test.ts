import type { ServerRoute } from '@hapi/hapi';
import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import Joi from 'joi';

import { readConfig } from '../../../src/config/index';
import { describe } from '../../../src/api/description/document';
import { operations } from '../../../src/api/description/operation';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = script();

/** A route that was renamed. */
const renamed = (path: string, since: string, sunset: string): ServerRoute => ({
    method: 'GET', path,
    options: {
        app: { cost: 'cheap' },
        ...operations('Service', { readOld: { summary: 'Read by the old name', notes: 'As it was.', answers: { 200: Joi.object({}).example({}) }, deprecated: { since, sunset, use: '/health' } } })('readOld')
    },
    handler: (_request, h) => h.response({}).header('link', '</old?after=x>; rel="next"')
});

lab.experiment('An operation that is to go', () => {

    let server: TestServer;

    lab.before(async () => {
        server = await startTestServer();
        server.server.route(renamed('/old', '2027-01-31', '2028-01-31'));
    });

    lab.after(() => server.stop());

    lab.test('says so in its responses, errors included, beside their own links', async () => {
        const next = '</health>; rel="successor-version"';
        for (const [url, status, link] of [['/old', 200, `</old?after=x>; rel="next", ${next}`], ['/old?other=1', 400, next]] as const) {
            const { headers, ...answer } = await server.call('GET', url);
            expect([answer.status, headers.deprecation, headers.sunset, headers.link]).to.equal([status, '@1801353600', 'Mon, 31 Jan 2028 00:00:00 GMT', link]);
        }

        const { headers } = await server.call('GET', '/health');
        expect([headers.deprecation, headers.sunset, headers.link]).to.equal([undefined, undefined, undefined]);
    });

    lab.test('says so in the description', () => {
        const { paths: { '/old': { get: { deprecated, description, responses } }, '/health': { get: other } }, components } = JSON.parse(describe(server.server, readConfig({})));
        expect([deprecated, description]).to.equal([true, 'As it was.\n\n**Deprecated** since 2027-01-31: it may be gone from 2028-01-31 on. Use `/health`.']);
        expect(Object.keys(responses[200].headers)).to.include(['Deprecation', 'Sunset', 'Link']);
        expect(Object.keys(components.responses[responses[400].$ref.split('/').at(-1)].headers)).to.include(['Deprecation', 'Sunset', 'Link']);
        expect(other.deprecated).to.be.undefined();
    });

    lab.test('works for twelve months, or cannot be registered', () => {
        expect(() => server.server.route(renamed('/older', '2027-01-31', '2028-01-30'))).to.throw(/has to work until 2028-01-31/);
        expect(() => server.server.route(renamed('/oldest', 'soon', '2028-01-30'))).to.throw(/is not a day/);
    });
});
