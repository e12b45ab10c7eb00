import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { heapUsed } from '../../support/heap';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('responses of public lists', () => {
    let t: TestServer;
    let ada: Actor;

    before(async () => {
        t = await startTestServer({ config: { listMaxAge: 300, featuredTags: ['a', 'б'] } });
        ada = await t.open();
        await t.call('POST', `/users/${ada.id}/projects`, { title: 'One', description: '#shared' }, ada);
        await t.call('POST', `/users/${ada.id}/projects`, { title: 'Two', description: '#shared' }, ada);
    });
    after(() => t.stop());

    for (const url of ['/projects?count=1', '/projects/tagged/shared?count=1', '/discover', '/discover/en', '/featured-tags']) {
        it(`${url} is the same for identical requests for a while, with its tag and link`, async () => {
            const { call } = t;
            const shown = ({ status, text, headers: { etag, link } }: Answer): object => ({ status, text, etag, link });
            const [first, ...others] = await Promise.all(Array.from({ length: 5 }, async () => shown(await call('GET', url))));
            others.push(shown(await call('GET', url)));
            for (const other of others) {
                expect(other).to.equal(first ?? {});
            }

            const { headers: { etag } } = await call('GET', url);
            // Weak if the body has counters, which may lag.
            expect(String(etag)).to.match(url === '/featured-tags' ? /^"[\w-]+"$/ : /^W\/"[\w-]+"$/);
            const again = await call('GET', url, undefined, { headers: { 'if-none-match': String(etag) } });
            expect({ status: again.status, text: again.text }).to.equal({ status: 304, text: '' });
        });
    }

    it('lag no longer than the time they are cached', async () => {
        const earlier = await t.call('GET', '/projects/tagged/fresh');
        expect(earlier.body.projects).to.be.empty();
        await t.call('POST', `/users/${ada.id}/projects`, { title: 'Three', description: '#fresh' }, ada);
        await sleep(350);
        const later = await t.call('GET', '/projects/tagged/fresh');
        expect(later.body.projects).to.have.length(1);
    });

    it('do not hide errors of a request', async () => {
        await t.call('GET', '/projects?count=1');
        for (const url of ['/projects?count=0', '/projects?count=1&count=1', '/projects?count=1&after=x']) {
            const { status } = await t.call('GET', url);
            expect(status).to.equal(400);
        }
    });

    it('are not cached for an author\'s own list', async () => {
        const path = `/users/${ada.id}/projects`;
        const { body: { projects } } = await t.call('GET', path);
        await t.call('PATCH', `${path}/${projects[0].id}`, { title: 'Renamed' }, ada);
        const { body } = await t.call('GET', path);
        expect(body.projects[0].title).to.equal('Renamed');
    });
});

describe('the cache of public lists', () => {
    let t: TestServer;
    let ada: Actor;
    let made = 0;

    before(async () => {
        // Long enough for nothing to expire here.
        t = await startTestServer({ config: { listMaxAge: 60_000 } });
        ada = await t.open();
    });
    after(() => t.stop());

    const ids = async (url: string): Promise<string[]> => {
        const { status, body, text } = await t.call('GET', url);
        expect(status, text).to.equal(200);
        return body.projects.map(({ id }: { id: string }) => id);
    };

    const add = async (description: string): Promise<void> => {
        const { status } = await t.call('POST', `/users/${ada.id}/projects`, { title: `Project ${++made}`, description }, ada);
        expect(status).to.equal(201);
    };

    const spellings = {
        '/projects?count=7': ['/projects?count=7&', '/projects?&&count=7', '/projects/?count=7', '/projects?%63ount=7', '/%70rojects?count=7'],
        '/projects?count=7&page=2': ['/projects?page=2&count=7'],
        '/discover/pt-BR': ['/discover/pt_BR', '/discover/pt%2dBR?', '/discover/%70t-BR/'],
        '/projects/tagged/%D1%81%D0%B0%D0%B4': ['/projects/tagged/%d1%81%d0%b0%d0%b4', '/projects/tagged/%23%D0%A1%D0%90%D0%94', '/projects/tagged/%D0%A1%D0%B0%D0%B4/?&']
    };
    for (const [url, others] of Object.entries(spellings)) {
        it(`keeps one response for all ways to write ${url}`, async () => {
            await add('#\u0441\u0430\u0434');
            const first = await t.call('GET', url);
            await add('#\u0441\u0430\u0434');
            for (const other of [url, ...others]) {
                const { headers: { etag } } = await t.call('GET', other);
                expect(etag, other).to.equal(first.headers.etag);
            }
        });
    }

    it('does not mix up tags, whatever was requested first', async () => {
        await add('#hash');
        expect(await ids('/projects/tagged/%23%23hash')).to.be.empty();
        expect(await ids('/projects/tagged/%23hash')).to.have.length(1);
        expect(await ids('/projects/tagged/%23%23hash')).to.be.empty();
    });

    it('links to the next page under the requested path', async () => {
        await add('#twice');
        await add('#twice');
        for (const path of ['/projects/tagged/twice', '/projects/tagged/TWICE', '/projects/tagged/twice']) {
            const { headers: { link }, body: { next } } = await t.call('GET', `${path}?count=1`);
            expect(link).to.equal(`<${path}?count=1&after=${next}>; rel="next"`);
        }
    });

    it('takes limited memory, for any number of lists and any length of URLs', async () => {
        const ask = async (from: number, to: number): Promise<void> => {
            for (let i = from; i < to; ++i) {
                const cursor = Buffer.from(`0.${1_700_000_000_000 + i}.1`).toString('base64url');
                const { statusCode } = await t.server.inject(`/projects?after=${cursor}${'&'.repeat(15_000)}`);
                expect(statusCode).to.equal(200);
            }
        };

        await ask(0, 50);
        const start = heapUsed();
        await ask(50, 450);
        const grown = heapUsed() - start;
        expect(grown).to.be.below(3 * 1024 * 1024);
    });
});
