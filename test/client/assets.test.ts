import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { hosts, sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { hashOf, noise, picture } from '../support/files';

export const lab = script();
const { describe, it, before, after } = lab;

describe('The client\'s assets', () => {
    let kit: ClientTest;

    before(async () => {
        kit = await startClientTest();
    });

    after(() => kit.stop());

    for (const host of hosts) {
        it(`are sent once, resolved, listed and lifted, in ${host}`, async () => {
            const actor = await kit.test.open();
            const [small, large, thumbnail] = [await picture(), await noise(9000), await picture()];
            kit.requests.length = 0;
            const given = { session: sessionOf(actor), small: small.toString('base64'), large: large.toString('base64'), thumbnail: thumbnail.toString('base64') };
            const result = await kit.run(host, given, async ({ pagewright, url, given: { session, small: one, large: two, thumbnail: three } }) => {
                const client = pagewright.createClient(url);
                client.signInWith(session);
                const blobOf = (base64: string): Blob => new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], { type: 'image/png' });
                const steps: [number, number][] = [];
                const onProgress = (...step: [number, number]): void => void steps.push(step);
                const reference = await client.assets.upload(blobOf(one), { onProgress });
                await client.assets.upload(blobOf(one), { onProgress });
                const { project, page } = await client.projects.create({ title: 'Pictures' });
                const uri = `data:image/png;base64,${two}`;
                const { things } = await client.save([
                    { type: 'elements', method: 'create', id: 'a', data: { pageId: page.id, type: 'image', attributes: { src: uri, list: [uri, 1, null], short: 'data:image/png;base64,AA==', text: 'x'.repeat(5000) }, styles: { background: { of: uri } } } }
                ], { lift: true });
                const element = things[0]?.type === 'elements' ? things[0].thing : null;
                const changed = await client.assets.setThumbnail(project, blobOf(three));
                const mine: string[] = [];
                for await (const { id } of client.assets.mine({ count: 2 })) {
                    mine.push(id);
                }

                const kept = await client.assets.lift([{ type: 'elements', method: 'remove', base: { id: '1', revision: 1 } }]);
                const code = await client.assets.upload(new Blob(['no picture'], { type: 'image/png' })).catch((error: unknown) => (error instanceof pagewright.PagewrightError ? error.code : String(error)));
                return {
                    reference, steps, mine, attributes: element?.attributes, styles: element?.styles, thumbnail: changed.thumbnail, kept, code,
                    resolved: [client.assets.resolve(reference), client.assets.resolve(reference, { width: 161 }), client.assets.resolve(reference, { width: 5000 }), client.assets.resolve(uri).length === uri.length, client.assets.resolve('/a.png', { width: 5 })]
                };
            });
            const of = (bytes: Buffer): string => `asset:${hashOf(bytes)}`;
            expect(result.reference).to.equal(of(small));
            const { length } = small;
            // The second time, the service has it already.
            expect(result.steps).to.equal([[0, length], [length, length], [length, length]]);
            expect(result.attributes).to.equal({ src: of(large), list: [of(large), 1, null], short: 'data:image/png;base64,AA==', text: 'x'.repeat(5000) });
            expect(result.styles).to.equal({ background: { of: of(large) } });
            expect(String(Object(result.thumbnail)['320'])).to.endWith(`/assets/${hashOf(thumbnail)}?width=320`);
            expect(result.mine).to.equal([thumbnail, large, small].map(hashOf));
            expect(result.kept).to.equal([{ type: 'elements', method: 'remove', base: { id: '1', revision: 1 } }]);
            expect(result.code).to.equal('type_mismatch');
            const address = `${kit.url}/assets/${hashOf(small)}`;
            expect(result.resolved).to.equal([address, `${address}?width=320`, address, true, '/a.png']);
            expect(kit.requests.filter((request) => request.startsWith('PUT') && request.includes(hashOf(small))).length).to.equal(1);
        });
    }
});
