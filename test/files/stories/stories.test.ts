import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { expectQuick } from '../../support/clock';
import { inProcesses } from '../../support/file-pools';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';

export const lab = script();

interface Element {
    type: string;
    attributes: Record<string, string>;
    styles: Record<string, number>;
}

interface Page {
    id: string;
    x: number;
    y: number;
    elements: Element[];
}

lab.experiment('Stories from elsewhere', () => {

    let test: TestServer;
    let eva: Actor;

    lab.before(async () => {
        test = await startTestServer();
        eva = await test.open('eva');
    });

    lab.after(async () => {
        expect(test.faults).to.equal([]);
        await test.stop();
    });

    const send = (type: string, body: string | Buffer, query = ''): Promise<Answer> => test.call('POST', `/users/me/imports${query}`, body, { token: eva.token, headers: { 'content-type': type } });

    const imported = async (type: string, body: string): Promise<{ title: string; id: string; pages: Page[] }> => {
        const { status, text, body: { project }, headers } = await send(type, body);
        expect(status, text).to.equal(201);
        return { title: project.title, id: project.id, pages: (await test.call('GET', `${String(headers.location)}/pages`)).body.pages };
    };

    const textsOf = ({ elements }: Page): string[] => elements.filter(({ type }) => type === 'text').map(({ attributes }) => String(attributes.text));

    /** The links of a page: their texts, and the number of the page that they lead to, from 0, or the address. */
    const linksOf = (page: Page, pages: readonly Page[]): [string | undefined, number | string | undefined][] => page.elements.filter(({ type }) => type === 'link')
        .map(({ attributes: { text, href, targetPageId } }) => [text, href ?? pages.findIndex(({ id }) => id === targetPageId)]);

    const passage = (pid: number, name: string, text: string, tags = ''): string => `<tw-passagedata pid="${pid}" name="${name}" tags="${tags}" position="100,${pid}00" size="100,100">${text}</tw-passagedata>`;

    /** A file as Twine 2.10 publishes it, in short. */
    const twine = (passages: string, { name = 'The &quot;Cave&quot; &amp; I', start = 2 } = {}): string => `<!DOCTYPE html>
<html><head><title>The Cave</title><meta charset="utf-8"><script>const x = '<tw-storydata name="no">'; if (1 < 2) {}</script></head><body><tw-story></tw-story>
<tw-storydata name="${name}" startnode="${start}" creator="Twine" creator-version="2.10.0" format="Harlowe" format-version="3.3.9" ifid="A" options="" tags="" zoom="1" hidden>
<style role="stylesheet" id="twine-user-stylesheet" type="text/twine-css">body {}</style><script role="script" id="twine-user-script" type="text/twine-javascript">alert(1)</script><tw-tag name="x" color="red"></tw-tag>${passages}</tw-storydata></body></html>`;

    lab.test('of Twine become a page for each passage, and begin where the story does', async () => {
        const { title, pages } = await imported('text/html; charset=utf-8', twine([
            passage(1, 'Way', 'You go on.\n\n[[Back|Cave &amp; dark]] [[Cave &amp; dark]]'),
            passage(2, 'Cave &amp; dark', 'It is &lt;b&gt;dark&lt;/b&gt;.&lt;br&gt;You see a [[light-&gt;Way]] and [[nowhere&lt;-a door]].\n[[Go on-&gt;Way]]\n[[Way][$x to 1]]\n[[Read-&gt;https://example.org/a]]\n[[No-&gt;javascript:alert(1)]]'),
            passage(3, 'Code', 'state.x = 1', 'script'), passage(4, 'StoryInit', '&lt;&lt;set $x to 1&gt;&gt;'),
            passage(5, 'Seen', '&lt;&lt;set $y to 2&gt;&gt;&lt;img src="data:image/png;base64,AAAA" alt="A map"&gt;&lt;img src="javascript:1"&gt;After it 1 &lt; 2')
        ].join('')));
        expect(title).to.equal('The "Cave" & I');
        expect(pages.map(({ x, y }) => [x, y])).to.equal([[0, 0], [1, 0], [2, 0]]);
        const [cave, way, seen] = pages;
        expect(cave && textsOf(cave)).to.equal(['It is dark.\nYou see a light and a door.\n\nNo']);
        expect(cave && linksOf(cave, pages)).to.equal([['light', 1], ['Go on', 1], ['Way', 1], ['Read', 'https://example.org/a']]);
        expect(way && textsOf(way)).to.equal(['You go on.']);
        expect(way && linksOf(way, pages)).to.equal([['Back', 0], ['Cave & dark', 0]]);
        expect(seen?.elements.map(({ type, attributes }) => [type, attributes.src ?? attributes.text])).to.equal([['image', 'data:image/png;base64,AAAA'], ['text', 'After it 1 < 2']]);
    });

    lab.test('of Twine that are broken are named', async () => {
        for (const [body, why] of [
            ['<p>Hello', 'there is no <tw-storydata> in it'], ['', 'there is no <tw-storydata> in it'], [twine(''), 'has no passages'], [twine(passage(1, 'x', 'y', 'stylesheet')), 'has no passages'],
            [twine(passage(1, 'The end', 'y')).slice(0, -60), 'The passage at its end does not end'], [twine(passage(1, 'The end', 'y')).slice(0, -40), 'The passage "The end" does not end'], [twine(passage(1, 'a', 'b')) + twine(passage(1, 'a', 'b')), 'has 2 stories'],
            [Buffer.from([0x3c, 0xe9, 0x3e]), 'not text in UTF-8']
        ] as const) {
            const { status, body: { code, message } } = await send('text/html', body);
            expect([status, code], message).to.equal([400, 'type_mismatch']);
            expect(message).to.contain(why);
        }
    });

    const markdown = `---
title: "To the sea"
author: Eva
---

# The house

Take *this* [way to the sea](#the-sea), or [another](#3).

- [ ] one
- two
  1. inner
  2. more

> A saying
---

## The *sea*!

![Waves](https://example.org/waves.png)
[Back](#the-house)

\`\`\`
x = 1 < 2
---
\`\`\`

***

Line one\\
line two <b>not bold</b> [out](https://example.org) [nowhere](#none) [bad](javascript:alert(1))
`;

    lab.test('in Markdown become a page for each part, with links to headings and numbers', async () => {
        const { title, pages } = await imported('text/markdown', markdown);
        expect(title).to.equal('To the sea');
        const [house, sea, last] = pages;
        expect(pages.length).to.equal(3);
        expect(house && textsOf(house)).to.equal(['The house', 'Take this way to the sea, or another.', '• [ ] one', '• two', '  1. inner', '  2. more', 'A saying']);
        expect(house && linksOf(house, pages)).to.equal([['way to the sea', 1], ['another', 2]]);
        expect(sea && textsOf(sea)).to.equal(['The sea!', 'x = 1 < 2\n---']);
        expect(sea && linksOf(sea, pages)).to.equal([['Back', 0]]);
        expect(sea?.elements.find(({ type }) => type === 'image')?.attributes).to.equal({ src: 'https://example.org/waves.png', alt: 'Waves' });
        expect(last && textsOf(last)).to.equal(['Line one\nline two not bold out nowhere bad']);
        expect(last && linksOf(last, pages)).to.equal([['out', 'https://example.org'], ['nowhere', -1]]);

        const plain = await imported('text/x-markdown', '\uFEFFOnly words\r\n\r\n---\r\n\r\n---\r\n\r\nMore 😀 \0here');
        expect(plain.title).to.equal('Only words');
        expect(plain.pages.map(textsOf)).to.equal([['Only words'], ['More 😀 here']]);
        expect((await imported('text/markdown', '![](https://example.org/x.png)')).title).to.equal('Story');
        expect([...(await imported('text/markdown', '😀'.repeat(300))).title].length).to.equal(256);
    });

    lab.test('in Markdown keep all kinds of blocks', async () => {
        const { pages } = await imported('text/markdown', '#### Small\n\n3. three\n4. four\n\n> a\n>\n> ---\n>\n> b\n\n    code\n\n[](#2) [x](#%ff) [y](other.md) ![](data:image/png;base64,AAAA)');
        expect(pages.map(textsOf)).to.equal([['Small', '3. three', '4. four', 'a', 'b', 'code', 'x y']]);
        expect(pages.map((page) => linksOf(page, pages))).to.equal([[['x', -1]]]);
        const twoPages = await imported('text/html', twine(passage(1, 'a', '[[-&gt;b]]&lt;img src="https://example.org/x.png"&gt;') + passage(2, 'b', 'b')));
        expect(twoPages.pages.map(({ elements }) => elements.map(({ type }) => type))).to.equal([['text'], ['link', 'image']]);
    });

    lab.test('lose nothing of what has no room on a page', async () => {
        const words = Array.from({ length: 1500 }, (_each, n) => `word${n}`);
        const { pages } = await imported('text/markdown', `${words.join(' ')}\n\n[Back](#1)\n\n---\n\nEnd [first](#1)`);
        expect(pages.length).to.be.above(5);
        expect(pages.flatMap(textsOf).join('').split(/\s+/)).to.equal([...words.slice(0, -1), `${String(words.at(-1))}End`, 'first']);
        for (const [number, page] of pages.slice(0, -2).entries()) {
            expect(linksOf(page, pages)).to.include([['→', number + 1]]);
            expect(page.elements.every(({ styles: { top = 0 } }) => top < 480)).to.be.true();
        }

        expect(pages.slice(-1).map((page) => linksOf(page, pages))).to.equal([[['first', 0]]]);
        const many = await imported('text/html', twine(passage(1, 'a', Array.from({ length: 60 }, (_each, n) => `[[Way ${n}-&gt;a]]`).join('\n'))));
        expect(many.pages.flatMap((page) => linksOf(page, many.pages)).filter(([text]) => text !== '→').length).to.equal(60);
        // What has room in smaller letters is on one page.
        const small = await imported('text/markdown', words.slice(0, 120).join(' '));
        expect(small.pages.length).to.equal(1);
        expect(Number(small.pages[0]?.elements[0]?.styles.fontSize)).to.be.below(18);
        expect((await imported('text/markdown', 'a漢'.repeat(1500))).pages.length).to.be.above(1);
        const paragraphs = Array.from({ length: 90 }, (_each, n) => `${'#'.repeat(n % 4)} Paragraph ${n}`.trim());
        expect((await imported('text/markdown', paragraphs.join('\n\n'))).pages.flatMap(textsOf)).to.equal(paragraphs.map((text) => text.replace(/^#+ /, '')));
    });

    lab.test('have bounds: bytes, pages, paragraphs and letters', async () => {
        for (const [type, most] of [['text/html', 4], ['text/markdown', 1]] as const) {
            const { status, body } = await send(type, Buffer.alloc(most * 1024 * 1024 + 1, 'x'));
            expect([status, body.code], type).to.equal([413, 'payload_too_large']);
        }

        expect((await send('text/markdown', 'x\n\n---\n\n'.repeat(1001))).body.code).to.equal('page_limit');
        // So many lines that to look again and again at those that are left would take minutes.
        expect((await send('text/html', twine(passage(1, 'a', 'a\n'.repeat(500_000))))).body.code).to.equal('page_limit');
        expect((await send('text/markdown', '')).body.message).to.contain('has no text');
        expect((await send('text/html', twine(passage(1, 'a', '[[a]]'.repeat(100_001))))).body.message).to.contain('more than 100000 paragraphs');
        expect((await send('text/html', twine(passage(1, 'a', 'x'.repeat(2_000_001))))).body.message).to.contain('more than 2000000 letters');
        expect((await send('text/plain', 'x')).body.message).to.contain('text/markdown');
        const large = await send('text/markdown', `![](data:image/png;base64,${'A'.repeat(100)}) ![](${'x'.repeat(10)})`);
        expect(large.status).to.equal(201);
    });

    lab.test('keep nobody waiting, however they are made', async () => {
        const files = inProcesses();
        const other = await startTestServer({ files });
        const author = await other.open('ali');
        try {
            for (const [type, piece] of [['text/markdown', '!['], ['text/markdown', '> '], ['text/markdown', '*a_'], ['text/markdown', '- a\n'], ['text/html', '[['], ['text/html', '&lt;&lt;'], ['text/html', 'a\n']] as const) {
                const text = piece.repeat(Math.floor(1_000_000 / piece.length));
                let isDone = false;
                const sent = other.call('POST', '/users/me/imports', type === 'text/html' ? twine(passage(1, 'a', text)) : text, { token: author.token, headers: { 'content-type': type } }).finally(() => {
                    isDone = true;
                });
                let longest = 0;
                while (!isDone) {
                    const began = performance.now();
                    await other.call('GET', '/health');
                    longest = Math.max(longest, performance.now() - began);
                    await new Promise((resolve) => {
                        setTimeout(resolve, 20);
                    });
                }

                const { status, body } = await sent;
                // Whose story was stopped for taking too long, as on a slow machine, has to wait with the next one.
                expect([201, 400, 409, 503], `${piece}: ${JSON.stringify(body).slice(0, 300)}`).to.include(status);
                expectQuick(longest, 2000, piece);
            }
        }
        finally {
            await other.stop();
            await files.close();
        }
    });

    lab.test('are imported once by their key, with the visibility that was asked for', async () => {
        const once = (): Promise<Answer> => test.call('POST', '/users/me/imports?visibility=unlisted', 'Once', { token: eva.token, headers: { 'content-type': 'text/markdown', 'idempotency-key': 'a-story-that-is-sent-twice-0001' } });
        const [first, second] = [await once(), await once()];
        expect(first.status, first.text).to.equal(201);
        expect(first.body.project).to.include({ title: 'Once', visibility: 'unlisted' });
        expect(second.body.project.id).to.equal(first.body.project.id);
    });

    lab.test('can be sent to where projects are created', async () => {
        const key = 'the-same-story-twice';
        const post = (path: string, type: string, body: string, headers: Record<string, string> = {}): Promise<Answer> => test.call('POST', path, body, { token: eva.token, headers: { 'content-type': type, ...headers } });
        const first = await post('/users/me/projects', 'text/markdown; charset=utf-8', '# One\n\nWords\n\n---\n\n# Two', { 'idempotency-key': key });
        expect(first.status, first.text).to.equal(201);
        const { project, page } = first.body;
        expect([project.title, project.user_id, page.project_id, page.x, page.y]).to.equal(['One', eva.id, project.id, 0, 0]);
        expect(first.headers.location).to.equal(`/users/${eva.id}/projects/${project.id}`);
        expect(page.elements.map(({ attributes }: Element) => attributes.text)).to.include('One');
        const { body: { pages } } = await test.call('GET', `${String(first.headers.location)}/pages`, undefined, { token: eva.token });
        expect(pages.length).to.equal(2);
        expect(pages[0]).to.equal(page);
        // As by imports: the same request again has the same answer, and another one is refused.
        expect((await post('/users/me/projects', 'text/markdown; charset=utf-8', '# One\n\nWords\n\n---\n\n# Two', { 'idempotency-key': key })).text).to.equal(first.text);
        expect((await post('/users/me/projects', 'text/markdown', '# Else', { 'idempotency-key': key })).body.code).to.equal('key_reused');

        const told = await post(`/users/${eva.id}/projects?visibility=unlisted`, 'TEXT/HTML', twine(passage(2, 'Way', 'On')));
        expect([told.status, told.body.project.visibility, told.body.page.elements.length]).to.equal([201, 'unlisted', 1]);
        expect((await post('/users/me/projects', 'text/html', '<p>Hello')).body.code).to.equal('type_mismatch');
        const ali = await test.open();
        expect((await test.call('POST', `/users/${eva.id}/projects`, '# Mine', { token: ali.token, headers: { 'content-type': 'text/markdown' } })).body.code).to.equal('forbidden');
        expect((await test.call('POST', `/users/${eva.id}/projects`, '# Mine', { headers: { 'content-type': 'text/markdown' } })).status).to.equal(401);
        // Other types, and other paths, are as they were.
        for (const [path, type, code] of [['/users/me/projects', 'text/plain', 'unsupported_media_type'], [`/users/me/projects/${project.id}/remixes`, 'text/html', 'unsupported_media_type'], ['/users/me/projects?visibility=unlisted', 'application/json', 'validation_failed']] as const) {
            expect((await post(path, type, '{"title":"x"}')).body.code, path).to.equal(code);
        }
    });
});
