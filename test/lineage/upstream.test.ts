import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, beforeEach, describe, it } = lab;

describe('what the source of a remix changed', { timeout: 60_000 }, () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let source: MadeProject;
    let text: Made;
    let remix: Made;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
    });

    after(() => server.stop());

    beforeEach(async () => {
        source = await ada.project({ title: 'Source', thumbnail: { 320: 'https://x.example/1' } });
        text = await ada.element(source.page, { attributes: { text: 'one', size: 1 }, styles: { left: 1 } });
        remix = await eve.remix(source);
    });

    it('first', async () => {
        await ada.call('PATCH', text.url, { attributes: { text: 'two', size: 1 } });
        await ada.call('PATCH', source.url, { title: 'New' });
        const second = await ada.page(source, { x: 1, y: 0, styles: { a: 1 } });
        await ada.element(second, { type: 'link', attributes: { targetPageId: source.page.id } });
        await ada.element(source.page, { type: 'link', attributes: { targetPageId: second.id } });
        const a = await server.call('GET', `${remix.url}/upstream`);
        console.log(a.status, JSON.stringify(a.body, null, 1));
        const b = await eve.call('POST', `${remix.url}/upstream/pull`, {});
        console.log(b.status, JSON.stringify(b.body, null, 1));
        console.log(JSON.stringify((await server.call('GET', `${remix.url}/pages`)).body.pages, null, 1));
        console.log((await server.call('GET', `${remix.url}/upstream`)).text);
        console.log((await server.call('GET', `${remix.url}/lineage`)).text);
        expect(server.faults).to.equal([]);
    });
});
