import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser } from 'playwright-core';

import { cssText, fontNames, fonts, inLayers, pageHeight, pageWidth, renderElement, renderPage, stylesheet, toComponents, toHtml, toNodes } from '../../client/src/render';
import type { RenderOptions, RenderableElement, TreeNode } from '../../client/src/render';
import { htmlOf, wordsOf } from '../../client/src/render/webmaker';
import { launchChromium } from '../support/chromium';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The fonts that have the letters which others lack. */
const others = '\'Noto Sans\', \'Noto Sans Arabic\', \'Noto Sans SC\', \'Noto Color Emoji\'';

const hash = 'ab'.repeat(32);
const options: RenderOptions = {
    assetUrl: (id, width) => `/assets/${id}${width === undefined ? '' : `?for=${width}`}`,
    linkUrl: ({ projectId, pageId }) => `/p/${projectId ?? 'this'}#${pageId ?? ''}`
};

const element = (type: unknown, attributes: unknown, styles: unknown = {}): RenderableElement => ({ id: '7', type, attributes, styles });
const html = (one: RenderableElement, more: Partial<RenderOptions> = {}): string => {
    const tree = renderElement(one, { ...options, ...more });
    return tree === null ? '' : toHtml(tree);
};

const styleOf = (styles: unknown): TreeNode['style'] => renderElement(element('text', { text: 'a' }, styles), options)?.style ?? {};

const everyNode = (tree: TreeNode): TreeNode[] => [tree, ...tree.children.flatMap((child) => (typeof child === 'string' ? [] : everyNode(child)))];

describe('the renderer of pages', () => {
    it('has the fonts that the format names', () => {
        const format = readFileSync(join(__dirname, '../../docs/format.md'), 'utf8');
        const named = fonts.filter(({ family }) => !format.includes(family)).map(({ family }) => family);
        expect(named).to.equal([]);
        expect(fontNames).to.include(['Noto Sans', 'Comic Neue', 'Press Start 2P']).and.to.not.include('Noto Sans Arabic');
    });

    it('shows what Webmaker\'s own client writes: the text of HTML, placed from the middle of the page', () => {
        const styles = { x: 10, y: -20, scale: 1.5, angle: Math.PI / 2, zIndex: 3 };
        const shown = html(element('text', { innerHTML: '<p onclick="x()">one &amp; <b>two</b><br>&lt;three&#62;&nbsp;&quot;&apos;&unknown;</p><script>' }, styles));
        expect(shown).to.endWith('>one &amp; two\n&lt;three&gt;\u00a0&quot;&#39;&amp;unknown;</div>'.replace('\u00a0', ' '));
        expect(styleOf(styles)).to.include({ left: 170, top: 200, width: 'max-content', maxWidth: 320, transform: 'rotate(90deg) scale(1.5) translate(-50%, -50%)', transformOrigin: '0 0' });
        expect(styleOf({ y: 5, width: 50 })).to.include({ left: 160, top: 225, width: 50, transform: 'rotate(0deg) scale(1) translate(-50%, -50%)' });
        expect(styleOf({ x: 5 })).to.include({ left: 165, top: 220 });
        expect(styleOf({ x: 5, left: 7, rotate: 9 })).to.include({ left: 7, transform: 'rotate(9deg)' });
        expect(html(element('link', { innerHTML: 'Go', targetPageId: '2' }))).to.include('>Go</a>');
        expect(html(element('text', { text: 'a', innerHTML: 'b' }))).to.endWith('>a</div>');
    });

    it('writes a text as Webmaker\'s client shows it, unless it would be read as HTML', () => {
        for (const text of ['Fish & chips\n1 < 2\n', 'a\n\nb', '<b>', '&amp;', '&#60;', 'x</p>', '']) {
            const written = htmlOf(text);
            expect(wordsOf({ innerHTML: written })).to.equal(text);
            expect(written === text).to.equal(!/<b>|&amp;|&#|<\/p>/.test(text));
        }

        expect(['<p>a</p>', 'a<br>', 'a<br><br>', '<div>a</div><div>b</div>', 'a\n'].map((innerHTML) => wordsOf({ innerHTML }))).to.equal(['a', 'a', 'a\n', 'a\nb', 'a\n']);
    });

    it('shows each type of element', () => {
        expect(html(element('text', { text: 'one\n<two> & "three"', lang: 'pt-BR' }, { left: 20, width: '280', fontWeight: 'bold' }))).to.equal(
            '<div data-element="7" lang="pt-BR" dir="auto" style="white-space:pre-wrap;unicode-bidi:plaintext;position:absolute;left:20px;top:0;margin:0;box-sizing:border-box;overflow-wrap:break-word;width:280px;font-weight:bold">one\n&lt;two&gt; &amp; &quot;three&quot;</div>');
        expect(html(element('image', { src: `asset:${hash.toUpperCase()}`, alt: 'A boat' }, { width: 100 }))).to.contain([`src="/assets/${hash}?for=100"`, 'alt="A boat"', '<img ']);
        expect(html(element('image', { src: 'data:image/svg+xml;charset=utf-8,<svg a=\'b c\'/>' }))).to.contain('src="data:image/svg+xml;charset=utf-8,&lt;svg a=&#39;b c&#39;/&gt;" alt=""');
        expect(html(element('sound', { src: `asset:${hash}`, alt: 'Waves' }))).to.match(/^<audio .*src="\/assets\/\w{64}" controls="controls" preload="metadata" aria-label="Waves"/);
        expect(html(element('video', { src: 'data:video/mp4;base64,AAAA' }))).to.match(/^<video .*playsinline=""/);
        expect(html(element('link', { text: 'Next', targetPageId: 41 }))).to.match(/^<a .*href="\/p\/this#41".*>Next<\/a>$/);
        expect(html(element('link', { text: 'A boat', targetProjectId: '12', targetPageId: null }))).to.contain('href="/p/12#"');
        expect(html(element('button', { text: 'Ask', reveals: 'Answer' }))).to.match(/^<details .*<span class="pagewright-closed">Ask<\/span><span class="pagewright-open">Answer<\/span><\/summary><\/details>$/);
        expect(html(element('shape', { shape: 'ellipse', alt: 'The sun' }, { width: 50, height: 50, backgroundColor: 'gold' }))).to.match(/role="img" aria-label="The sun".*border-radius:50%/);
        expect(html(element('shape', { shape: 'triangle' }))).to.contain('clip-path:polygon(50% 0%, 100% 100%, 0% 100%)');
    });

    it('says which host a link leads to, and loads nothing from there', () => {
        const out = html(element('link', { text: 'my bank', href: 'https://bank.example@evil.example/\u202ea' }));
        expect(out).to.contain(['href="https://bank.example@evil.example/%E2%80%AEa"', 'rel="noopener noreferrer nofollow"', 'title="evil.example"', '> (evil.example)</bdi>']);
        expect(html(element('link', { text: 'x', href: 'https://аррӏе.com/' }))).to.contain('(xn--80ak6aa92e.com)');
        const picture = html(element('image', { src: 'https://other.example/a.png', alt: 'A boat' }));
        expect(picture).to.contain(['<a ', 'href="https://other.example/a.png"', 'A boat: Picture at other.example']);
        expect(html(element('sound', { src: 'https://other.example/a.mp3' }), { words: { pictureAt: (host) => `Foto: ${host}` } })).to.contain('>Foto: other.example</a>');
    });

    it('lets each line go in its own direction, unless the element says one', () => {
        for (const [attributes, styles, isPlain] of [[{}, {}, true], [{ dir: 'rtl' }, {}, false], [{}, { direction: 'rtl' }, false], [{ dir: 'x' }, {}, true]] as const) {
            for (const type of ['text', 'link', 'button']) {
                expect(html(element(type, { text: 'a', ...attributes }, styles)).includes('unicode-bidi:plaintext')).to.equal(isPlain);
            }
        }
    });

    it('links an address of e-mail, and nothing that writes the mail', () => {
        expect(html(element('link', { text: 'Write', href: 'mailto:zoe@example.org' }))).to.match(/^<a .*href="mailto:zoe@example.org" title="zoe@example.org".*>Write<\/a>$/);
        for (const href of ['mailto:zoe@example.org?body=x', 'mailto:a@b.org,c@d.org', 'mailto:', 'mailto:zoe', 'mailto:"x"@example.org', 'mailto:a%0d@example.org']) {
            expect(html(element('link', { text: 'a', href }))).to.match(/^<div /).and.not.contain('href');
        }
    });

    it('shows boxes without anything to press, for thumbnails and editors', () => {
        for (const [type, attributes] of [['link', { text: 'a', targetPageId: '4' }], ['link', { text: 'a', href: 'https://a.example' }], ['button', { text: 'a', reveals: 'b' }], ['sound', { src: `asset:${hash}` }], ['video', { src: `asset:${hash}`, alt: 'A film' }], ['image', { src: 'https://a.example/b.png' }]] as const) {
            expect(html(element(type, attributes), { still: true })).to.match(/^<div .*<\/div>$/).and.not.match(/<(?:a|details|summary|audio|video)\b/);
        }
    });

    const missing = [
        element('link', { text: 'a', href: 'javascript:alert(1)' }), element('link', { text: 'a', href: ' java\nscript:alert(1)' }), element('link', { text: 'a', href: 'data:text/html,<script>alert(1)</script>' }),
        element('link', { text: 'a', href: 'vbscript:x' }), element('link', { text: 'a', href: 'file:///etc/passwd' }), element('link', { text: 'a', href: 'blob:https://a.example/1' }), element('link', { text: 'a', href: '//a.example' }),
        element('link', { text: 'a', href: { toString: 'https://a.example' } }), element('link', { text: 'a', href: `https://a.example/${'a'.repeat(2048)}` }), element('link', { text: 'a', targetPageId: '../x' }), element('link', { text: 'a', targetPageId: '1e3' })
    ];
    it('makes no link of what is no address', () => {
        for (const one of missing) {
            expect(html(one)).to.match(/^<div /).and.not.contain('href');
        }

        expect(html(element('link', { text: 'a', targetPageId: '4' }), { linkUrl: undefined })).to.match(/^<div /);
        expect(html(element('link', { text: 'a', targetPageId: '4' }), { linkUrl: () => undefined })).to.match(/^<div /);
    });

    it('loads no picture or sound of another kind', () => {
        for (const src of ['data:text/html,<script>alert(1)</script>', 'data:application/pdf,a', 'data:audio/mpeg,a', 'javascript:alert(1)', 'asset:abc', `asset:${hash}/../x`, '/users', '//a.example/b.png', '', null, {}, [`asset:${hash}`]]) {
            expect(html(element('image', { src, alt: 'A boat' }))).to.match(/^<div .*>A boat<\/div>$/s);
            expect(html(element('video', { src }))).to.match(/^<div .*>▶<\/div>$/);
        }

        expect(html(element('sound', { src: 'data:image/png,a' }))).to.match(/^<div /);
    });

    it('leaves out types that it does not know', () => {
        for (const type of ['script', 'iframe', 'constructor', '__proto__', '', null, 7, {}, ['text']]) {
            expect(renderElement(element(type, { text: 'a' }), options)).to.be.null();
        }

        expect(renderElement(element('shape', { shape: 'url(https://a.example)' }), options)).to.be.null();
    });

    it('shows whatever attributes and styles are', () => {
        for (const odd of [null, undefined, 7, 'text', [], [[]], { text: {} }, { text: null, alt: [], src: 7, reveals: {} }, Object.create({ text: 'inherited' })]) {
            for (const type of ['text', 'image', 'sound', 'video', 'link', 'button', 'shape']) {
                expect(html(element(type, odd, odd))).to.not.contain(['inherited', 'undefined', 'null', '[object']);
            }
        }

        expect(html(element('text', { text: 42 }))).to.contain('>42<');
        expect(html(element('text', { text: 'a'.repeat(30_000) }))).to.match(/>a{20000}</);
        expect(html({ id: { a: 1 }, type: 'text', attributes: { lang: '"><script>', dir: 'up' }, styles: {} })).to.match(/^<div dir="auto" style/);
        expect(html({ id: '"><script>', type: 'text', attributes: { dir: 'rtl' }, styles: {} })).to.match(/^<div data-element="&quot;&gt;&lt;script&gt;" dir="rtl"/);
    });

    const kept: readonly (readonly [string, unknown, Record<string, unknown>])[] = [
        ['left', -20.5, { left: -20.5 }], ['left', '12px', { left: 12 }], ['left', 1e300, { left: 10_000 }], ['left', -1e300, { left: -10_000 }], ['top', -0, { top: 0 }], ['width', -5, { width: 0 }], ['height', 1e9, { height: 10_000 }],
        ['fontSize', 0, { fontSize: 1 }], ['fontSize', 1e9, { fontSize: 1000 }], ['opacity', 7, { opacity: 1 }], ['opacity', -7, { opacity: 0 }], ['lineHeight', '1.5', { lineHeight: 1.5 }], ['lineHeight', 0, { lineHeight: 0.5 }],
        ['color', '#FFF', { color: '#fff' }], ['color', ' Red ', { color: 'red' }], ['color', 'rgb(0 0 0 / 50%)', { color: 'rgb(0 0 0 / 50%)' }], ['color', 'hsl(120deg 10% 20%)', { color: 'hsl(120deg 10% 20%)' }],
        ['fontFamily', '"Comic Neue", Georgia, serif', { fontFamily: `'Comic Neue', 'Georgia', 'Lora', ${others}, serif` }], ['fontFamily', 'serif;} body{x, Noto Serif JP', { fontFamily: `'Noto Serif JP', ${others}, sans-serif` }], ['fontFamily', 'a,b,c,d,e,f,g,h,i,j', { fontFamily: `'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ${others}, sans-serif` }],
        ['fontWeight', 700, { fontWeight: '700' }], ['fontWeight', 'bold', { fontWeight: 'bold' }], ['textDecoration', 'line-through', { textDecoration: 'line-through' }], ['whiteSpace', 'pre', { whiteSpace: 'pre' }],
        ['writingMode', 'vertical-rl', { writingMode: 'vertical-rl' }], ['letterSpacing', '0.25em', { letterSpacing: '0.25em' }], ['letterSpacing', 4, { letterSpacing: 4 }], ['letterSpacing', '900em', { letterSpacing: '5em' }],
        ['border', '2px dashed #9b2c2c', { borderWidth: 2, borderStyle: 'dashed', borderColor: '#9b2c2c' }], ['border', 'solid rgb(0, 0, 0)', { borderWidth: 3, borderStyle: 'solid', borderColor: 'rgb(0, 0, 0)' }], ['border', 'dotted 999px', { borderWidth: 100, borderStyle: 'dotted', borderColor: 'currentcolor' }],
        ['rotate', 370, { transform: 'rotate(10deg)' }], ['rotate', -90, { transform: 'rotate(-90deg)' }], ['transform', 'rotate(-12deg)', { transform: 'rotate(-12deg)' }]
    ];
    it('keeps and clamps the styles that it knows', () => {
        const plain = styleOf({});
        for (const [name, value, shown] of kept) {
            expect([name, value, styleOf({ [name]: value })]).to.equal([name, value, { ...plain, ...shown }]);
        }
    });

    const refused: readonly (readonly [string, unknown])[] = [
        ['position', 'fixed'], ['position', 'sticky'], ['zIndex', 2 ** 31], ['display', 'none'], ['content', 'attr(x)'], ['background', 'url(https://a.example)'], ['backgroundImage', 'url(https://a.example)'], ['cursor', 'url(https://a.example), auto'],
        ['filter', 'url(#a)'], ['animation', 'a 1s'], ['inset', 0], ['margin', 40], ['transform', 'scale(999)'], ['transform', 'rotate(1deg) scale(9)'], ['transform', 'translate(9px)'], ['clipPath', 'none'], ['__proto__', { color: 'red' }], ['constructor', 'red'],
        ['color', 'url(https://a.example)'], ['color', 'red; position: fixed'], ['color', 'rgb(0,0,0);position:fixed'], ['color', 'var(--secret)'], ['color', 'expression(alert(1))'], ['color', 'image-set("a")'], ['color', `#${'f'.repeat(70)}`], ['color', ['red']], ['color', '#12345'],
        ['backgroundColor', 'url("javascript:alert(1)")'], ['backgroundColor', 'red}body{display:none'], ['fontFamily', 'a;b'], ['fontFamily', '\'a'], ['fontFamily', 'url(https://a.example)'], ['fontFamily', '"a\\"; position: fixed"'], ['fontFamily', 'a'.repeat(501)], ['fontFamily', 7],
        ['fontSize', 'calc(100vw)'], ['fontSize', '9em'], ['width', '100vw'], ['width', '100%'], ['width', 'calc(1px + 2px)'], ['left', 'Infinity'], ['left', Number.NaN], ['left', Number.POSITIVE_INFINITY], ['left', ''], ['left', '0x10'], ['left', '1e3'], ['left', null], ['left', [5]], ['left', true], ['left', `${'0'.repeat(40)}1`],
        ['border', '2px'], ['border', 'none'], ['border', 'url(x)'], ['border', 'a'.repeat(101)], ['fontWeight', 'bolder;x'], ['textAlign', 'center;x'], ['whiteSpace', 'toString'], ['rotate', '1turn'], ['rotate', 360], ['letterSpacing', '1vw']
    ];
    it('leaves out all other styles and values', () => {
        const plain = styleOf({});
        for (const [name, value] of refused) {
            expect([name, value, styleOf(JSON.parse(`{ ${JSON.stringify(name)}: null }`, (key, one) => (key === name ? value : one)))]).to.equal([name, value, plain]);
        }
    });

    it('draws elements by their layer, then in their order', () => {
        const named = (id: string, zIndex?: unknown): RenderableElement => ({ id, type: 'text', attributes: { text: id }, styles: zIndex === undefined ? {} : { zIndex } });
        expect(inLayers([named('a', 2), named('b'), named('c', -1), named('d', '2'), named('e', {}), named('f', 1e300)]).map(({ id }) => id)).to.equal(['c', 'b', 'e', 'a', 'd', 'f']);
    });

    it('makes a page that is as large as it says, or as wide as there is room', () => {
        const page = { styles: { backgroundColor: 'url(x)' }, elements: [element('text', { text: 'a' }, { left: 32, fontSize: 16, lineHeight: 2, border: '1px solid red', letterSpacing: 1 }), element('strange', {}), ...Array.from({ length: 1200 }, () => element('text', { text: 'b' }))] };
        const tree = renderPage(page, options);
        expect(tree.style).to.include({ width: pageWidth, height: pageHeight, overflow: 'hidden', contain: 'strict', isolation: 'isolate', position: 'relative', backgroundColor: '#ffffff' });
        expect(everyNode(tree).length).to.equal(1001);
        expect(renderPage({ styles: { backgroundColor: 'navy' }, elements: [] }, options).style.backgroundColor).to.equal('navy');

        const fluid = toHtml(renderPage({ ...page, elements: page.elements.slice(0, 1) }, { ...options, fluid: true }));
        expect(fluid).to.contain(['width:100%;aspect-ratio:320 / 480;container-type:inline-size', 'left:10cqw;top:0cqw', 'font-size:5cqw;line-height:2', 'border-width:0.3125cqw', 'letter-spacing:0.3125cqw']).and.not.match(/\dpx/);
    });

    it('writes styles as text', () => {
        expect(cssText({ left: 20, top: 0, lineHeight: 1.5, opacity: 0.5, fontWeight: '700', borderRadius: '50%' })).to.equal('left:20px;top:0;line-height:1.5;opacity:0.5;font-weight:700;border-radius:50%');
    });

    it('writes components', () => {
        const tree = renderElement(element('link', { text: 'a', href: 'https://a.example/' }), options);
        const written: string[] = [];
        const made = tree && toComponents<{ tag: string }>(tree, (tag, attributes, ...children) => {
            written.push(`${tag} ${attributes.href ?? ''} ${children.filter((child) => typeof child === 'string').join('')}`);
            return { tag };
        });
        expect({ made, written }).to.equal({ made: { tag: 'a' }, written: ['bdi   (a.example)', 'a https://a.example/ a'] });
    });

    it('writes nodes', () => {
        class Made {
            readonly tag: string;
            text = '';

            constructor(tag: string) {
                this.tag = tag;
            }

            setAttribute(name: string, value: string): void {
                this.text += `[${name}=${value}]`;
            }

            append(...children: (Made | string)[]): void {
                this.text += children.map((child) => (typeof child === 'string' ? child : `<${child.tag} ${child.text}>`)).join('');
            }
        }

        const made = toNodes(renderPage({ styles: {}, elements: [element('text', { text: 'Hello' })] }, options), { createElement: (tag: string) => new Made(tag) });
        expect(made.tag).to.equal('div');
        expect(made.text).to.match(/^\[class=pagewright-page\]\[style=.*<div .*<div \[data-element=7\]\[dir=auto\]\[style=.*\]Hello>>$/);
    });
});

describe('a hostile page in a browser', () => {
    let browser: Browser;

    before(async () => {
        browser = await launchChromium();
    });

    after(() => browser.close());

    const markup = '"><img src=x onerror=alert(1)><script>alert(1)</script></div></style>\u202e';
    const urls = ['javascript:alert(1)', 'data:text/html,<script>alert(1)</script>', 'https://other.example/a', 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><image href="https://other.example/b.png"/></svg>'];
    const styles = { left: -5000, top: -5000, width: 1e9, height: 1e9, position: 'fixed', inset: 0, zIndex: 2 ** 31, transform: 'scale(99)', fontSize: 1e9, background: 'url(https://other.example/c)', backgroundColor: 'url(https://other.example/d)', fontFamily: 'url(https://other.example/e)' };
    const types = ['text', 'image', 'sound', 'video', 'link', 'button', 'shape'];
    const hostile = types.flatMap((type) => urls.flatMap((url) => [styles, { ...styles, left: 1e9, rotate: 45 }].map((look) => element(type, { text: markup, alt: markup, src: url, href: url, reveals: markup, shape: 'ellipse', lang: markup, dir: markup, onclick: 'alert(1)', style: 'position:fixed', class: markup }, look))));

    it('shows a picture of Webmaker\'s client, which has no width, as large as the page is, with and without the stylesheet', async () => {
        const src = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="80"/>')}`;
        const tree = (fluid: boolean): string => toHtml(renderPage({ styles: {}, elements: [element('image', { src }, { x: 20, y: -60, scale: 1.5, angle: 0 })] }, { ...options, fluid }));
        for (const rules of [stylesheet, '']) {
            const page = await browser.newPage();
            for (const [fluid, units] of [[false, 1], [true, 2]] as const) {
                await page.setContent(`<!doctype html><style>body{margin:0}main{width:640px}${rules}</style><main>${tree(fluid)}</main>`);
                await page.locator('img').evaluate('document.images[0].decode()');
                expect(await page.locator('img').boundingBox()).to.equal({ x: (180 - 75) * units, y: (160 - 60) * units, width: 150 * units, height: 120 * units });
            }

            await page.close();
        }
    });

    it('runs nothing, asks nobody, and stays in its box', async () => {
        for (const fluid of [false, true]) {
            const page = await browser.newPage();
            const asked: string[] = [];
            const ran: string[] = [];
            page.on('dialog', async (dialog) => {
                ran.push(dialog.message());
                await dialog.dismiss();
            });
            await page.route('**/*', async (route) => {
                asked.push(route.request().url());
                await route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>t</title><style>body{margin:0}main{width:320px}${stylesheet}</style><main>${toHtml(renderPage({ styles, elements: hostile }, { ...options, fluid }))}</main><button id="control">Remix</button>` });
            });
            await page.goto('http://pages.example/');
            for (const button of await page.locator('details').all()) {
                await button.evaluate((one) => one.setAttribute('open', ''));
            }

            expect(asked).to.equal(['http://pages.example/']);
            expect(ran).to.equal([]);
            expect(await page.locator('script, [onerror], [onclick], [onload], iframe').count()).to.equal(0);
            const box = await page.locator('.pagewright-page').boundingBox();
            expect(box).to.equal({ x: 0, y: 0, width: 320, height: 480 });
            // The control beside the page is what is pressed there, and nothing can be scrolled to.
            expect(await page.evaluate('document.elementFromPoint(10, 490).id')).to.equal('control');
            expect(await page.evaluate('[document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight]')).to.equal([true, true]);
            await page.close();
        }
    });

    it('shows the answer of a button that is pressed, by mouse and by keyboard, without a script', async () => {
        const page = await browser.newPage({ javaScriptEnabled: false });
        await page.setContent(`<style>${stylesheet}</style>${toHtml(renderPage({ styles: {}, elements: [element('button', { text: 'Ask', reveals: 'Answer' }, { left: 20, top: 20 })] }, options))}`);
        expect(await page.locator('summary').innerText()).to.equal('Ask');
        await page.locator('summary').click();
        expect(await page.locator('summary').innerText()).to.equal('Answer');
        await page.keyboard.press('Enter');
        expect(await page.locator('summary').innerText()).to.equal('Ask');
        await page.close();
    });
});
