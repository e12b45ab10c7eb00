import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const astral = '\u{1F3A8}';

describe('the fields of a project', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    const kept: { why: string; fields: object }[] = [
        { why: 'a title of 1 character', fields: { title: '.' } },
        { why: 'a title of 256 astral characters', fields: { title: astral.repeat(256) } },
        { why: 'a title of blanks and controls', fields: { title: ' \t\u0001\u007f' } },
        { why: 'a description of 1,000 astral characters', fields: { description: astral.repeat(1000) } },
        { why: 'an empty description', fields: { description: '' } },
        { why: 'quotes, backslashes and line ends', fields: { title: '"\\\n\r\u2028', description: '</script>\b\f' } },
        { why: 'widths of 1 and 4096', fields: { thumbnail: { 1: 'http://a', 4096: `https://example.com/${'x'.repeat(2028)}` } } },
        { why: 'as many thumbnails as there may be', fields: { thumbnail: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [n + 1, 'http://a'])) } },
        { why: 'URLs with everything in them', fields: { thumbnail: { 320: 'https://user@example.com:8080/a/%20b?c=d&e=[f]#g' } } }
    ];
    for (const { why, fields } of kept) {
        it(`keep ${why}`, async () => {
            const { thing, url } = await ada.project(fields);
            expect(thing).to.include(fields);
            expect((await ada.call('PATCH', url, fields)).body.project).to.include(fields);
            expect((await server.call('GET', url)).body.project).to.include(fields);
        });
    }

    const refused: { why: string; fields: object; path: string }[] = [
        { why: 'an empty title', fields: { title: '' }, path: 'title' },
        { why: 'a title of 257 astral characters', fields: { title: astral.repeat(257) }, path: 'title' },
        { why: 'a title of 257 letters', fields: { title: 'x'.repeat(257) }, path: 'title' },
        { why: 'a title of 513 letters', fields: { title: 'x'.repeat(513) }, path: 'title' },
        { why: 'no title', fields: { title: null }, path: 'title' },
        { why: 'a number as title', fields: { title: 1 }, path: 'title' },
        { why: 'a description of 1,001 astral characters', fields: { description: astral.repeat(1001) }, path: 'description' },
        { why: 'a description of null', fields: { description: null }, path: 'description' },
        { why: 'U+0000', fields: { title: 'a\u0000b' }, path: 'title' },
        { why: 'half a surrogate pair', fields: { description: 'a\ud800b' }, path: 'description' },
        { why: 'a thumbnail too many', fields: { thumbnail: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n + 1, 'http://a'])) }, path: 'thumbnail' },
        { why: 'a thumbnail of null', fields: { thumbnail: null }, path: 'thumbnail' },
        { why: 'a list of thumbnails', fields: { thumbnail: ['http://a'] }, path: 'thumbnail' },
        { why: 'a thumbnail as text', fields: { thumbnail: 'http://a' }, path: 'thumbnail' },
        ...['0', '4097', '-1', '1.5', '01', 'large', ''].map((width) => {
            return { why: `a width of '${width}'`, fields: { thumbnail: { [width]: 'http://a' } }, path: width === '' ? 'thumbnail' : `thumbnail.${width}` };
        }),
        ...['', 'example.com/a.png', 'ftp://example.com', 'javascript:alert(1)', 'data:image/png;base64,AA==', 'http://', 'https://a b', 1, null].map((url) => {
            return { why: `the URL ${JSON.stringify(url)}`, fields: { thumbnail: { 320: url } }, path: 'thumbnail.320' };
        }),
        { why: 'a URL of 2,049 characters', fields: { thumbnail: { 320: `http://${'x'.repeat(2042)}` } }, path: 'thumbnail.320' },
        { why: 'what is not an author\'s to set', fields: { featured: true }, path: 'featured' },
        { why: 'unknown fields', fields: { subtitle: 'x' }, path: 'subtitle' }
    ];
    for (const { why, fields, path } of refused) {
        it(`refuse ${why}`, async () => {
            const { url, thing } = await ada.project();
            const answers = [await ada.call('POST', `/users/${ada.id}/projects`, { title: 'x', ...fields }), await ada.call('PATCH', url, fields)];
            for (const { body } of answers) {
                expect(body).to.include({ statusCode: 400, code: 'validation_failed' });
                expect(body.details.map((detail: { path: string }) => detail.path)).to.include(path);
            }

            expect((await server.call('GET', url)).body.project).to.equal(thing);
        });
    }

    it('are all required, or one of them', async () => {
        const { url } = await ada.project();
        expect((await ada.call('POST', `/users/${ada.id}/projects`, {})).body.details).to.equal([{ path: 'title', message: '"title" is required' }]);
        for (const nothing of [undefined, {}, { revision: 1 }]) {
            const { status, body } = await ada.call('PATCH', url, nothing);
            expect(status).to.equal(400);
            expect(body.details).to.equal([{ path: '', message: 'at least one of "title", "description", "thumbnail" and "visibility" is needed' }]);
        }
    });

    it('get all errors at once', async () => {
        const { body } = await ada.call('POST', `/users/${ada.id}/projects`, { title: '', description: 1, thumbnail: { x: 'y' }, more: 1 });
        expect(body.details.map(({ path }: { path: string }) => path).sort()).to.equal(['description', 'more', 'thumbnail.x', 'title']);
    });
});
