import { gunzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('strong entity tags', () => {
    let t: TestServer;
    let ada: Author;
    /** two elements: one whose body is too small to be compressed, and one whose body is not */
    let elements: { small: string; large: string };
    let urls: string[];

    before(async () => {
        t = await startTestServer({ config: { featuredTags: ['a', 'b'] } });
        ada = await openAuthor(t, 'ada');
        const { url, page } = await ada.project({ title: 'One' });
        const small = await ada.element(page);
        const large = await ada.element(page, { attributes: { text: 'x'.repeat(2000) } });
        elements = { small: small.url, large: large.url };
        urls = [
            small.url, large.url, `${page.url}/elements`, page.url, `${url}/pages`, url, `/users/${ada.id}`,
            '/featured-tags', '/openapi.json', '/docs', '/docs/docs.js', '/docs/favicon-32x32.png'
        ];
    });
    after(() => t.stop());

    const get = async (url: string, encoding?: string, held?: string): Promise<{ status: number; tag: string; encoding: unknown; body: string }> => {
        const { statusCode: status, headers, rawPayload } = await t.server.inject({
            url, headers: { authorization: `token ${ada.token}`, ...encoding && { 'accept-encoding': encoding }, ...held && { 'if-none-match': held } }
        });
        const body = headers['content-encoding'] === 'gzip' && rawPayload.length > 0 ? gunzipSync(rawPayload) : rawPayload;
        return { status, tag: String(headers.etag), encoding: headers['content-encoding'], body: body.toString('latin1') };
    };

    it('name the encoding of a body that is compressed', async () => {
        const sizes = new Set<string>();
        for (const url of urls) {
            const [plain, zipped] = [await get(url), await get(url, 'gzip')];
            expect(plain.status, url).to.equal(200);
            expect(plain.tag, url).to.match(/^"[\w.-]+"$/);
            expect(zipped.body === plain.body, url).to.be.true();
            const small = plain.body.length < 1024;
            sizes.add(small ? 'small' : 'large');
            if (url.endsWith('.png') || small) {
                expect([zipped.tag, zipped.encoding], url).to.equal([plain.tag, undefined]);
            }
            else {
                expect([zipped.tag, zipped.encoding], url).to.equal([plain.tag.replace(/"$/, '-gzip"'), 'gzip']);
            }
        }

        expect(sizes.size).to.equal(2);
    });

    it('are the same on a 304 as on the matching 200', async () => {
        for (const url of urls) {
            const [plain, zipped] = [await get(url), await get(url, 'gzip')];
            for (const [encoding, { tag }] of [[undefined, plain], ['identity', plain], ['gzip', zipped], ['gzip, deflate, br', zipped]] as const) {
                for (const held of [tag, `W/${tag}`, `"other", ${tag}`, `${plain.tag}, ${zipped.tag}`]) {
                    expect(await get(url, encoding, held), `${url} ${encoding} ${held}`).to.include({ status: 304, tag, body: '' });
                }
            }
        }
    });

    it('are accepted with and without an encoding by If-None-Match', async () => {
        for (const url of urls) {
            const { tag } = await get(url);
            for (const encoding of ['identity', 'gzip']) {
                for (const held of [tag, tag.replace(/"$/, '-gzip"'), '*']) {
                    expect(await get(url, encoding, held), `${url} ${encoding} ${held}`).to.include({ status: 304, body: '' });
                }

                expect((await get(url, encoding, '"other"')).status).to.equal(200);
            }
        }
    });

    it('are accepted with and without an encoding by If-Match', async () => {
        for (const url of Object.values(elements)) {
            for (const form of ['"$"', '"$-gzip"', '"other", "$-deflate"']) {
                const { tag } = await get(url);
                const { status } = await ada.call('PATCH', url, { styles: {} }, { headers: { 'if-match': form.replace('$', tag.slice(1, -1)) } });
                expect(status, form).to.equal(200);
            }
        }
    });
});
