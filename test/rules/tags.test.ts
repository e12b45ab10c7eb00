import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { tagsOf } from '../../src/rules/tags';
import { openAuthor } from '../support/authoring';
import type { Author } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** 999 letters that stay larger than an index entry even compressed: Han characters chosen by a hash. */
const incompressible = Array.from({ length: 999 }, (_, n) => {
    return String.fromCodePoint(0x4E00 + createHash('sha256').update(String(n)).digest().readUInt16BE() % 20_000);
}).join('');

const texts: { description: string; tags: string[] }[] = [
    { description: 'none at all', tags: [] },
    { description: '#искусство', tags: ['искусство'] },
    { description: 'see #Art, #ART and #art', tags: ['art'] },
    { description: '#b then #a', tags: ['b', 'a'] },
    { description: 'a#b', tags: [] },
    { description: '1#b and я#b and ٣#b', tags: [] },
    { description: '_#b (#c) "#d"-#e/#f', tags: ['b', 'c', 'd', 'e', 'f'] },
    { description: '##x', tags: ['x'] },
    { description: '#x#y', tags: ['x'] },
    { description: '#_ and #__a_1', tags: ['_', '__a_1'] },
    { description: '# x #', tags: [] },
    { description: '#-x #.x', tags: [] },
    { description: '#हिन्दी', tags: ['हिन्दी'] },
    { description: '#עִבְרִית', tags: ['עִבְרִית'.normalize('NFC')] },
    { description: '#日本語、#中文。', tags: ['日本語', '中文'] },
    { description: '#٢٠٢٤ #২০২৪ #2024', tags: ['٢٠٢٤', '২০২৪', '2024'] },
    { description: '#caf\u00E9 #cafe\u0301', tags: ['caf\u00E9'] },
    { description: '#\u1E69 #s\u0307\u0323 #s\u0323\u0307', tags: ['\u1E69'] },
    { description: '#ΣΊΣΥΦΟΣ', tags: ['σίσυφος'] },
    { description: '#STRASSE #straße', tags: ['strasse', 'straße'] },
    { description: '#İ', tags: ['i\u0307'] },
    { description: '#\u{10400}', tags: ['\u{10428}'] },
    { description: '#\u{1F3A8} #a\u{1F3A8}b', tags: ['a'] },
    { description: '#a\nb #c\u00A0d', tags: ['a', 'c'] },
    { description: 'e\u0301#a', tags: [] },
    { description: `#${incompressible}`, tags: [incompressible] },
    { description: '#'.repeat(1000), tags: [] },
    { description: '#a '.repeat(333), tags: ['a'] },
    { description: '#constructor #toString', tags: ['constructor', 'tostring'] }
];

describe('the tags of a description', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    for (const { description, tags } of texts) {
        it(`${JSON.stringify(description.slice(0, 40))} are ${JSON.stringify(tags).slice(0, 60)}`, async () => {
            expect(tagsOf(description)).to.equal(tags);
            const { thing, url } = await ada.project({ description });
            expect(thing).to.include({ description, tags });
            for (const tag of tags) {
                for (const spelling of [tag, tag.toUpperCase(), tag.normalize('NFD'), `#${tag}`]) {
                    const { status, body } = await server.call('GET', `/projects/tagged/${encodeURIComponent(spelling)}`);
                    expect(status).to.equal(200);
                    // Some letters do not survive a change to upper case and back.
                    if (spelling.toLowerCase().normalize('NFC').replace('#', '') === tag) {
                        expect(body.projects.map(({ id }: { id: string }) => id)).to.include(thing.id);
                    }
                }
            }

            await ada.call('DELETE', url);
        });
    }

    it('follow edits, deletions and restored projects', async () => {
        const { url, id } = await ada.project({ description: '#first #both' });
        const listed = async (tag: string): Promise<boolean> => (await server.call('GET', `/projects/tagged/${tag}`)).text.includes(`"id":"${id}"`);
        await ada.call('PATCH', url, { description: '#second #both' });
        expect([await listed('first'), await listed('second'), await listed('both')]).to.equal([false, true, true]);
        await ada.call('PATCH', url, { title: 'x' });
        expect(await listed('second')).to.be.true();
        await ada.call('DELETE', url);
        expect([await listed('second'), await listed('both')]).to.equal([false, false]);
    });

    it('that nobody uses, or that are invalid, list nothing', async () => {
        for (const tag of ['nobody', '%23', 'a%2Fb', '%F0%9F%8E%A8', 'x'.repeat(1000)]) {
            expect((await server.call('GET', `/projects/tagged/${tag}`)).body).to.equal({ status: 'success', projects: [], next: null });
        }

        for (const tag of ['%00', 'x'.repeat(1001), '%ff']) {
            expect((await server.call('GET', `/projects/tagged/${tag}`)).status).to.equal(400);
        }
    });
});
