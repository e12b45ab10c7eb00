import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The ids that the cases use: of things in the source, and of others. */
interface Ids {
    source: string;
    owner: string;
    page: string;
    second: string;
    gone: string;
    other: string;
    otherPage: string;
}

/** The expected link in the remix: `page` is the copy of a page of the source. */
interface Copies {
    remix: string;
    remixer: string;
    page(id: string): string;
}

interface Case {
    why: string;
    link(ids: Ids): object;
    /** undefined if it stays the same */
    becomes?(ids: Ids, copies: Copies): object;
}

const here = ({ remix, remixer }: Copies): object => ({ targetProjectId: remix, targetUserId: remixer });
const text = { label: 'see "here" \\ é\u2028\u{1F3A8}', deep: [{ targetPageId: '1' }, [], {}, null, 1.5, -0.25e-7, true], '': '', 'ключ': 0 };

const cases: Case[] = [
    {
        why: 'all three, as text',
        link: ({ source, owner, page }) => ({ ...text, targetProjectId: source, targetUserId: owner, targetPageId: page }),
        becomes: ({ page }, copies) => ({ ...text, ...here(copies), targetPageId: copies.page(page) })
    },
    {
        why: 'all three, as numbers',
        link: ({ source, owner, second }) => ({ targetProjectId: Number(source), targetUserId: Number(owner), targetPageId: Number(second) }),
        becomes: ({ second }, copies) => ({ ...here(copies), targetPageId: copies.page(second) })
    },
    { why: 'a page alone', link: ({ second }) => ({ targetPageId: second }), becomes: ({ second }, copies) => ({ ...here(copies), targetPageId: copies.page(second) }) },
    { why: 'a page, the project null', link: ({ page }) => ({ targetPageId: page, targetProjectId: null }), becomes: ({ page }, copies) => ({ ...here(copies), targetPageId: copies.page(page) }) },
    { why: 'a page, the project empty', link: ({ page }) => ({ targetPageId: Number(page), targetProjectId: '' }), becomes: ({ page }, copies) => ({ ...here(copies), targetPageId: copies.page(page) }) },
    { why: 'a page, the project empty and a user', link: ({ page, other }) => ({ targetPageId: page, targetProjectId: '', targetUserId: other }), becomes: ({ page }, copies) => ({ ...here(copies), targetPageId: copies.page(page) }) },
    { why: 'the project alone', link: ({ source }) => ({ targetProjectId: source }), becomes: (_ids, copies) => here(copies) },
    { why: 'the project, the page null', link: ({ source }) => ({ targetProjectId: source, targetPageId: null }), becomes: (_ids, copies) => here(copies) },
    { why: 'the project, the page empty', link: ({ source }) => ({ targetProjectId: source, targetPageId: '' }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page that is deleted', link: ({ source, gone }) => ({ targetProjectId: source, targetPageId: gone }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page of another project, unsaid', link: ({ otherPage }) => ({ targetPageId: otherPage }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page that never was', link: () => ({ targetPageId: '9223372036854775807', a: 1 }), becomes: (_ids, copies) => ({ a: 1, ...here(copies) }) },
    { why: 'a page past all ids', link: () => ({ targetPageId: '99999999999999999999999' }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page that is no id', link: () => ({ targetPageId: 'home', targetProjectId: '' }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page like an id', link: ({ page }) => ({ targetPageId: ` ${page}` }), becomes: (_ids, copies) => here(copies) },
    { why: 'a page as object', link: ({ source, page }) => ({ targetProjectId: source, targetPageId: { id: page } }), becomes: (_ids, copies) => here(copies) },
    { why: 'the page 0', link: () => ({ targetPageId: 0 }), becomes: (_ids, copies) => here(copies) },
    { why: 'another project', link: ({ other, otherPage, owner }) => ({ ...text, targetProjectId: other, targetPageId: otherPage, targetUserId: owner }) },
    { why: 'another project, but a page of this one', link: ({ other, page }) => ({ targetProjectId: other, targetPageId: page }) },
    { why: 'another project as number', link: ({ other, page }) => ({ targetProjectId: Number(other), targetPageId: page }) },
    { why: 'a project like an id', link: ({ source, page }) => ({ targetProjectId: ` ${source}`, targetPageId: page }) },
    { why: 'the project in a list', link: ({ source, page }) => ({ targetProjectId: [source], targetPageId: page }) },
    { why: 'the project in an object', link: ({ source }) => ({ targetProjectId: { id: source } }) },
    { why: 'a project that is false', link: ({ page }) => ({ targetProjectId: false, targetPageId: page }) },
    { why: 'nothing', link: () => ({}) },
    { why: 'no page and no project', link: () => ({ targetPageId: '', targetProjectId: '', targetUserId: '' }) },
    { why: 'nulls', link: () => ({ targetPageId: null, targetProjectId: null, targetUserId: null }) },
    { why: 'a user alone', link: ({ owner }) => ({ targetUserId: owner }) },
    { why: 'an address elsewhere', link: ({ page }) => ({ href: 'https://example.com', TargetPageId: page, targetpageid: page }) },
    { why: 'keys that look much alike', link: ({ source, page }) => ({ 'targetPageId ': page, targetPageId: page, '\u0001': 1, targetProjectId: source, 'target\u200bPageId': 2 }),
        becomes: ({ page }, copies) => ({ 'targetPageId ': page, '\u0001': 1, 'target\u200bPageId': 2, ...here(copies), targetPageId: copies.page(page) }) }
];

describe('the links of a remix', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let source: MadeProject;
    let ids: Ids;
    let second: Made;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        eve = await openAuthor(server, 'eve');
        source = await ada.project();
        second = await ada.page(source, { x: 1, y: 0 });
        const gone = await ada.page(source, { x: 2, y: 0 });
        await ada.call('DELETE', gone.url);
        const other = await ada.project();
        ids = { source: source.id, owner: ada.id, page: source.page.id, second: second.id, gone: gone.id, other: other.id, otherPage: other.page.id };
    });

    after(() => server.stop());

    it('lead to the copy if they led to the source, and stay the same otherwise', async () => {
        const originals: Made[] = [];
        for (const { link } of cases) {
            originals.push(await ada.element(second, { type: 'link', attributes: link(ids), styles: text }));
            originals.push(await ada.element(second, { type: 'Link', attributes: link(ids) }));
        }

        for (const remixer of [eve, ada]) {
            const remix = await remixer.remix(source);
            const { body: { pages } } = await server.call('GET', `${remix.url}/pages`);
            expect(pages).to.have.length(2);
            const copies: Copies = { remix: remix.id, remixer: remixer.id, page: (id) => (id === ids.page ? pages[0].id : pages[1].id) };
            const elements = pages[1].elements;
            expect(elements).to.have.length(2 * cases.length);
            for (const [index, { why, link, becomes }] of cases.entries()) {
                const [copied, plain] = [elements[2 * index], elements[2 * index + 1]];
                expect(copied.attributes, why).to.equal(becomes?.(ids, copies) ?? link(ids));
                expect(copied.styles).to.equal(text);
                // Other elements stay the same, whatever their attributes.
                expect(plain, why).to.include({ type: 'Link', attributes: link(ids) });
            }
        }

        // The source has not changed.
        const { body: { elements } } = await server.call('GET', `${second.url}/elements`);
        expect(elements).to.equal(originals.map(({ thing }) => thing));
    });

    it('are kept if they are as large as allowed', async () => {
        const large = await ada.project();
        const fill = (attributes: object): object => {
            const bytes = Buffer.byteLength(JSON.stringify({ ...attributes, text: '' }));
            return { ...attributes, text: 'x'.repeat(2 * 1024 * 1024 - bytes) };
        };

        const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key ${n}`, n]));
        const links = [fill({ targetPageId: Number(large.page.id) }), fill({ ...many, targetPageId: large.page.id })];
        for (const attributes of links) {
            await ada.element(large.page, { type: 'link', attributes });
        }

        const { url } = await eve.remix(large);
        const { body: { pages: [page] } } = await server.call('GET', `${url}/pages`);
        const copies = page.elements.map(({ attributes }: { attributes: object }) => attributes);
        const target = { targetProjectId: page.project_id, targetUserId: eve.id, targetPageId: page.id };
        expect(copies).to.equal(links.map((attributes) => ({ ...attributes, ...target })));
    });
});
