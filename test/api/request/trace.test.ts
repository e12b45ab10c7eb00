import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import pino from 'pino';

import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { interrupted } from '../../support/queries';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('traceparent', () => {
    let log: { msg: string; request_id: string; trace_id?: string }[] = [];
    let server: TestServer;
    let ada: Author;
    let project: MadeProject;

    before(async () => {
        server = await startTestServer({ logger: pino({}, { write: (line) => log.push(JSON.parse(line)) }) });
        server.server.route({ method: 'GET', path: '/throwing', options: { app: { cost: 'cheap' } }, handler: () => Promise.reject(new Error('inside')) });
        ada = await openAuthor(server, 'ada');
        project = await ada.project();
    });

    after(() => server.stop());

    beforeEach(() => {
        log = [];
    });

    const headers: [string, boolean][] = [
        [`00-${TRACE}-${PARENT}-01`, true],
        [`00-${TRACE}-${PARENT}-00`, true],
        [`01-${TRACE}-${PARENT}-01`, true],
        [`cc-${TRACE}-${PARENT}-09-and-more`, true],
        [`00-${TRACE}-${PARENT}-01-more`, false],
        [`00-${TRACE}-${PARENT}-01-`, false],
        [`cc-${TRACE}-${PARENT}-01.more`, false],
        [`ff-${TRACE}-${PARENT}-01`, false],
        [`00-${'0'.repeat(32)}-${PARENT}-01`, false],
        [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
        [`00-${TRACE.toUpperCase()}-${PARENT}-01`, false],
        [`00-${TRACE.slice(1)}-${PARENT}-01`, false],
        [`0-${TRACE}-${PARENT}-01`, false],
        [`00-${TRACE}-${PARENT}-1`, false],
        [`00-${TRACE}-${PARENT}`, false],
        [`00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, false],
        ['', false]
    ];
    for (const [traceparent, valid] of headers) {
        it(`${valid ? 'is taken over into the log' : 'that is invalid counts as none'}: "${traceparent}"`, async () => {
            for (const [path, status] of [['/health', 200], ['/nowhere', 404], ['/throwing', 500]] as const) {
                log = [];
                expect((await server.call('GET', path, undefined, { headers: { traceparent } })).status).to.equal(status);
                expect(log.map(({ trace_id }) => trace_id)).to.equal(Array.from({ length: status === 500 ? 2 : 1 }, () => (valid ? TRACE : undefined)));
            }
        });
    }

    it('is not set for a request without one', async () => {
        await server.call('GET', '/health');
        expect(Object.keys(log[0] ?? {})).to.include('request_id').and.not.include('trace_id');
    });

    const writes: [string, RegExp, (headers: Record<string, string>) => Promise<Answer>][] = [
        ['a bulk', /insert into pages/, (sent) => ada.call('POST', `/users/${ada.id}/bulk`, { actions: [{ type: 'pages', method: 'create', data: { projectId: project.id, x: 1, y: 1 } }] }, { headers: sent })],
        ['a remix', /insert into projects/, (sent) => ada.call('POST', `${project.url}/remixes`, {}, { headers: sent })],
        ['a change of a page', /update pages/, (sent) => ada.call('PATCH', project.page.url, { x: 5 }, { headers: sent })],
        ['a deletion of a page', /update pages/, (sent) => ada.call('DELETE', project.page.url, {}, { headers: sent })],
        ['a deletion of an account', /delete from tokens/, (sent) => ada.call('DELETE', `/users/${ada.id}`, {}, { headers: sent })]
    ];
    for (const [name, pattern, write] of writes) {
        it(`names the session of ${name} in PostgreSQL until its end`, async () => {
            const { db } = server.database;
            const named = async (): Promise<string[]> => {
                const { rows } = await db.raw(`select application_name as name from pg_stat_activity where datname = current_database() and application_name like '%${TRACE}%'`);
                return rows.map((row: { name: string }) => row.name);
            };

            let meanwhile: string[] = [];
            const answer = await interrupted(pattern, async () => {
                meanwhile = await named();
            }, () => write({ traceparent: `00-${TRACE}-${PARENT}-01` }));
            expect([200, 201]).to.include(answer.status);
            expect(meanwhile).to.equal([`pagewright ${TRACE}`]);
            expect(await named()).to.equal([]);
        });
    }
});
