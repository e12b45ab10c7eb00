import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the client and taking work along', () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    for (const host of hosts) {
        it(`exports, imports and takes out, in ${host}`, async () => {
            const author = await openAuthor(on.test);
            const project = await author.project({ title: 'Plants', visibility: 'private' });
            await author.element(project.page, { attributes: { text: 'Tomatoes' } });
            const given = { session: sessionOf(author), place: { id: project.id, user_id: author.id } };
            const told = await on.run(host, given, async ({ pagewright, url, given: { session, place } }) => {
                const client = pagewright.createClient(url);
                const hidden = await client.export(place).catch((error: unknown) => error instanceof pagewright.PagewrightError && error.status);
                client.signInWith(session);
                const zip = await (await client.export(place)).blob();
                const withHistory = await (await client.export(place, { history: true })).blob();
                const html = await (await client.export(place, { as: 'html' })).text();
                const copy = await client.import(zip);
                const shown = await client.import(new Uint8Array(await withHistory.arrayBuffer()), { visibility: 'unlisted' });
                const story = await client.import(new Blob(['# A story\n\n---\n\nIts end']), { form: 'markdown' });
                const wrong = await client.import(new Blob(['no zip'])).catch((error: unknown) => error instanceof pagewright.PagewrightError && [error.status, error.code]);
                const all = await (await client.takeout()).blob();
                return {
                    hidden, copy: [copy.title, copy.visibility], shown: shown.visibility, story: story.title, wrong, html: [html.startsWith('<!doctype html>'), html.includes('Tomatoes')],
                    larger: [withHistory.size > zip.size, all.size > withHistory.size]
                };
            });
            expect(told).to.equal({ hidden: 404, copy: ['Plants', 'private'], shown: 'unlisted', story: 'A story', html: [true, true], wrong: [400, 'validation_failed'], larger: [true, true] });
        });
    }
});
