import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { startTestServer } from '../support/server';
import type { Actor, Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('answers of public lists', () => {
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
        it(`${url} is the same for whoever asks within the time, with its tag and link`, async () => {
            const { call } = t;
            const shown = ({ status, text, headers: { etag, link } }: Answer): object => ({ status, text, etag, link });
            const [first, ...others] = await Promise.all(Array.from({ length: 5 }, async () => shown(await call('GET', url))));
            others.push(shown(await call('GET', url)));
            for (const other of others) {
                expect(other).to.equal(first ?? {});
            }

            const { headers: { etag } } = await call('GET', url);
            expect(String(etag)).to.match(/^W\/"[\w-]+"$/);
            const again = await call('GET', url, undefined, { headers: { 'if-none-match': String(etag) } });
            expect({ status: again.status, text: again.text }).to.equal({ status: 304, text: '' });
        });
    }

    it('lag by no more than the time they are kept', async () => {
        const earlier = await t.call('GET', '/projects/tagged/fresh');
        expect(earlier.body.projects).to.be.empty();
        await t.call('POST', `/users/${ada.id}/projects`, { title: 'Three', description: '#fresh' }, ada);
        await sleep(350);
        const later = await t.call('GET', '/projects/tagged/fresh');
        expect(later.body.projects).to.have.length(1);
    });

    it('do not hide what is wrong with a request', async () => {
        await t.call('GET', '/projects?count=1');
        for (const url of ['/projects?count=0', '/projects?count=1&count=1', '/projects?count=1&after=x']) {
            const { status } = await t.call('GET', url);
            expect(status).to.equal(400);
        }
    });

    it('are not kept for what an author reads of their own', async () => {
        const path = `/users/${ada.id}/projects`;
        const { body: { projects } } = await t.call('GET', path);
        await t.call('PATCH', `${path}/${projects[0].id}`, { title: 'Renamed' }, ada);
        const { body } = await t.call('GET', path);
        expect(body.projects[0].title).to.equal('Renamed');
    });
});
