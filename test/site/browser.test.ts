import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { fontNames } from '../../client/src/render';
import { run } from '../../src/operations/cli/main';
import { languageNames } from '../../src/site/languages';
import { faultsOn } from '../support/axe';
import { launchChromium, settled } from '../support/chromium';
import { fakeHost } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = script();

const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;

const attack = `"'><script>window.ran=1</script><img src=x onerror="window.ran=2">\u202e\u2066`;
const evil = 'https://evil.example/x';
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.ran=3" viewBox="0 0 9 9"><script>parent.ran=4</script><image href="${evil}.png"/><rect width="9" height="9" onclick="parent.ran=5"/></svg>`;
const cover = { position: 'fixed', left: -9999, top: -1e300, width: 1e9, height: 1e308, zIndex: 2147483647, backgroundColor: 'red', backgroundImage: `url(${evil})`, background: `url(${evil})`, transform: 'scale(1000)', fontFamily: `x;position:fixed;inset:0`, color: `red;background:url(${evil})`, 'margin-left': '-9999px', inset: 0 };

/** What somebody might write who means ill: each kind of element with a trap in each field. */
const hostile = [
    ...['text', 'link', 'button', 'image', 'sound', 'video', 'shape', 'script', 'iframe', 'style', 'constructor'].flatMap((type) => [
        { type, attributes: { text: attack, reveals: attack, alt: attack, src: `javascript:window.ran=6`, href: 'javascript:window.ran=7', shape: 'ellipse', lang: attack, dir: attack, onclick: 'window.ran=8', dangerouslySetInnerHTML: { __html: attack } }, styles: cover },
        { type, attributes: { text: 'x', reveals: 'y', src: `${evil}.png`, href: 'data:text/html,<script>parent.ran=9</script>', targetPageId: 'javascript:window.ran=10', targetProjectId: '../..//evil.example' }, styles: { width: -50, height: -1, left: -1e9, top: 1e9, fontSize: 1e9 } },
        { type, attributes: { text: 'x', src: `data:image/svg+xml,${encodeURIComponent(svg)}`, href: 'https://bank.example@evil.example/\u202e' }, styles: { left: 20, top: 20, width: 100, height: 100 } },
        { type, attributes: { text: 'x', src: `data:text/html,${encodeURIComponent(attack)}`, href: ' javascript:window.ran=11' }, styles: { opacity: 'expression(1)', border: `9999px solid url(${evil})` } }
    ])
];

lab.experiment('The site in a browser', () => {

    let test: Product;
    let browser: Browser;
    let ana: Actor;
    let hostileProject: { id: string };
    const wrong: string[] = [];

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
        ana = await test.open(`ana-${randomBytes(4).toString('hex')}`);
        await write(await make({ title: 'Small traps' }), hostile.slice(0, 12));
        hostileProject = await make({ title: `${attack} everything`, description: `${attack} #hostile` });
        const actions: readonly object[] = [...hostile, ...Array.from({ length: 1000 - hostile.length }, (_each, n) => ({ type: 'text', attributes: { text: `${n}` }, styles: { ...cover, top: n } }))];
        await write(hostileProject, actions);
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
    });

    const make = async (fields: object): Promise<{ id: string }> => (await test.call('POST', '/users/me/projects', fields, { token: ana.token })).body.project;

    /** Puts elements onto the first page of a project. */
    const write = async ({ id }: { id: string }, elements: readonly object[]): Promise<void> => {
        const { body } = await test.call('GET', `/users/${ana.id}/projects/${id}/pages`);
        const { status } = await test.call('POST', '/users/me/bulk', { actions: elements.map((data) => ({ type: 'elements', method: 'create', data: { pageId: body.pages[0].id, ...data } })) }, { token: ana.token });
        expect(status).to.equal(200);
    };

    /** A window of somebody's. Errors, violations of the policy and requests to other hosts are noted. */
    const open = async (viewport: typeof sizes[number], options: Parameters<Browser['newContext']>[0] = {}, session?: Actor): Promise<BrowserContext> => {
        const context = await browser.newContext({ viewport, locale: 'en', ...options });
        if (session !== undefined) {
            const kept = JSON.stringify({ token: session.token, tokenId: null, user: { id: session.id, username: session.username } });
            await context.addInitScript(([origin, value]) => {
                if (location.origin === origin) {
                    localStorage.setItem(`pagewright ${origin}`, String(value));
                }
            }, [test.url, kept]);
        }

        context.on('request', (request) => {
            if (!request.url().startsWith(`${test.url}/`) && !/^(?:data|blob):/.test(request.url())) {
                wrong.push(`asks ${request.url()}`);
            }
        });
        // Chromium reports it as an error of the page if it leaves out an animation between two pages, because the second one was shown before.
        context.on('weberror', (error) => {
            const text = String(error.error());
            if (!text.includes('Page already revealed')) {
                wrong.push(text);
            }
        });
        context.on('console', (message) => {
            // A media element says that what it has is no sound.
            if (message.type() === 'error' && !/404|ERR_INVALID_URL|net::ERR/.test(message.text())) {
                wrong.push(message.text());
            }
        });
        context.on('dialog', (dialog) => {
            wrong.push(`dialog ${dialog.message()}`);
            void dialog.dismiss();
        });
        return context;
    };

    const show = async (page: Page, path: string): Promise<void> => void await page.goto(test.url + path, { waitUntil: 'load', timeout: 120_000 });

    const visit = async (context: BrowserContext, path: string): Promise<Page> => {
        const page = await context.newPage();
        page.setDefaultTimeout(120_000);
        await show(page, path);
        return page;
    };

    const idOf = async (title: string): Promise<string> => {
        const { body } = await test.call('GET', '/discover?count=100');
        return body.projects.find((project: { title: string }) => project.title.includes(title)).id;
    };

    lab.test('shows a hostile project, which runs nothing, asks nobody, and stays in its page', async () => {
        for (const viewport of sizes) {
            const context = await open(viewport);
            const page = await context.newPage();
            for (const path of [`/p/${hostileProject.id}`, `/p/${hostileProject.id}/embed`, `/u/${ana.username}`, '/browse/new']) {
                await show(page, path);
                if (path.startsWith('/p/')) {
                    await page.locator('.pagewright-page').first().waitFor();
                }

                const found = await page.evaluate(() => {
                    const sheets = [...document.querySelectorAll('.pagewright-page')];
                    const rest = [...document.querySelectorAll('header a, header button, .actions a:not([hidden]), .caption a, footer a')].filter((each) => each.checkVisibility());
                    const covered = rest.filter((each) => {
                        each.scrollIntoView({ block: 'center' });
                        const { left, top, width, height } = each.getBoundingClientRect();
                        const above = document.elementFromPoint(left + width / 2, top + height / 2);
                        return above === null || sheets.some((sheet) => sheet.contains(above));
                    });
                    return {
                        ran: Reflect.get(window, 'ran'), covered: covered.length, wide: document.documentElement.scrollWidth, sheets: sheets.length,
                        frames: document.querySelectorAll('iframe, object, embed, .pagewright-page script, .pagewright-page style').length,
                        bad: [...document.querySelectorAll('.pagewright-page a')].map((a) => a.getAttribute('href') ?? '').filter((href) => !/^(?:https?:\/\/|\/p\/\d)/.test(href)),
                        handlers: [...document.querySelectorAll('.pagewright-page *')].flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith('on'))
                    };
                });
                expect(found, path).to.equal({ ran: undefined, covered: 0, wide: viewport.width, sheets: found.sheets, frames: 0, bad: [], handlers: [] });
                // In lists, the service may have drawn its picture already.
                expect(found.sheets, path).to.be.at.least(path.startsWith('/p/') ? 1 : 0);
            }

            await context.close();
        }

        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('is played by links, keys and the back button, with little script, and without any', async () => {
        const context = await open(sizes[0]);
        const page = await visit(context, '/');
        await page.locator('.cover', { hasText: 'harbour' }).first().click();
        await page.locator('.ways').waitFor();
        // The script of the player has run by then.
        await page.waitForLoadState('load');
        const first = page.url();
        await page.keyboard.press('ArrowRight');
        await page.waitForURL((url) => url.href !== first);
        await page.locator('.number', { hasText: /^2 of/ }).waitFor();
        await page.goBack();
        await page.waitForURL(first);
        await page.locator('.number', { hasText: /^1 of/ }).waitFor();

        const bytes = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map((entry) => Number(Reflect.get(entry, 'encodedBodySize'))));
        expect(bytes.reduce((sum, each) => sum + each, 0)).to.be.between(1, 100 * 1024);
        await context.close();

        const plain = await open(sizes[1], { javaScriptEnabled: false });
        const still = await visit(plain, new URL(first).pathname);
        await still.locator('.pagewright-page a').first().click();
        await still.waitForURL((url) => url.href !== first);
        await still.locator('.ways').waitFor();
        await plain.close();
        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('keeps the focus where it was when the page is turned, and reads out the number of the page', async () => {
        const book = await make({ title: 'Three pages' });
        const add = async (x: number): Promise<string> => (await test.call('POST', `/users/me/projects/${book.id}/pages`, { x, y: 0 }, { token: ana.token })).body.page.id;
        const [, last] = [await add(1), await add(2)];
        await write(book, [{ type: 'link', attributes: { text: 'To the end', targetPageId: last }, styles: { left: 20, top: 20 } }]);
        const context = await open(sizes[0]);
        for (const suffix of ['', '/embed']) {
            const page = await visit(context, `/p/${book.id}${suffix}`);
            const focused = page.locator(':focus');
            /** What a screen reader says of what has the focus. */
            const said = async (): Promise<unknown> => await focused.evaluate((node) => [node.getAttribute('aria-label') ?? node.textContent, document.getElementById(node.getAttribute('aria-describedby') ?? '')?.textContent ?? '']);
            const turned = async (number: number): Promise<void> => {
                await page.locator('.number', { hasText: `${number} of 3` }).waitFor();
                await page.waitForLoadState('load');
                await focused.waitFor();
            };

            expect(await focused.count(), 'nobody has turned a page').to.equal(0);
            for (let presses = 0; await focused.count() === 0 || await focused.getAttribute('data-key') !== 'ArrowRight'; presses++) {
                expect(presses).to.be.below(40);
                await page.keyboard.press('Tab');
            }

            await page.keyboard.press('Enter');
            await turned(2);
            expect(await said()).to.equal(['Page to the right', '2 of 3']);
            await page.keyboard.press('Enter');
            await turned(3);
            expect(await said(), 'there is no page to the right').to.equal(['Page 3 of 3', '']);
            await page.keyboard.press('ArrowLeft');
            await turned(2);
            expect(await said()).to.equal(['Page 2 of 3', '']);
            await page.keyboard.press('ArrowLeft');
            await turned(1);
            await page.keyboard.press('Tab');
            expect(await said()).to.equal(['To the end', '']);
            await page.keyboard.press('Enter');
            await turned(3);
            expect(await said()).to.equal(['Page 3 of 3', '']);
            await page.close();
        }

        await context.close();
        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('loads the fonts of a page, those of its letters alone, and none where there is none', async () => {
        const texts = ['Hello', 'Привет', 'नमस्ते', 'مرحبا', '你好', '🦊'];
        const plain = await make({ title: 'Plain' });
        const many = await make({ title: 'Many fonts' });
        await write(plain, [{ type: 'text', attributes: { text: 'Hello' }, styles: { fontFamily: 'Comic Neue' } }]);
        await write(many, [...fontNames, 'Georgia, serif', 'cursive'].flatMap((fontFamily, n) => texts.map((words, m) => ({ type: 'text', attributes: { text: words }, styles: { left: 60 * m, top: 40 * n, fontFamily } }))));
        const context = await open(sizes[0]);
        const page = await context.newPage();
        const loaded = new Map<string, unknown>();
        page.on('response', (response) => {
            const [, name] = /\/([a-z0-9-]+?)-[A-Z0-9]{8}\.woff2$/.exec(response.url()) ?? [];
            if (name !== undefined) {
                loaded.set(name, [response.status(), response.headers()['content-type'], response.headers()['cache-control']]);
            }
        });
        const of = async (path: string): Promise<string[]> => {
            loaded.clear();
            await show(page, path);
            await page.evaluate(async () => await document.fonts.ready);
            await page.waitForLoadState('networkidle');
            return [...loaded.keys()].sort();
        };

        expect(await of('/sign-in')).to.equal([]);
        expect(await of(`/p/${plain.id}`)).to.equal(['comic-neue-latin-400-normal']);
        const kept = [200, 'font/woff2', 'public, max-age=31536000, immutable'];
        expect([...loaded.values()]).to.equal([kept]);
        // Emoji are those of the device, if it has some.
        const hasEmoji = await page.evaluate(() => new FontFace('own', ['Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'].map((name) => `local('${name}')`).join()).load().then(() => true, () => false));
        expect(await of(`/p/${many.id}`)).to.equal([
            ...['comic-neue-latin', 'lora-cyrillic', 'lora-latin', ...hasEmoji ? [] : ['noto-color-emoji-7'], 'noto-sans-arabic-arabic', 'noto-sans-cyrillic', 'noto-sans-devanagari', 'noto-sans-latin', 'noto-sans-sc-chinese-simplified', 'nunito-cyrillic', 'nunito-latin', 'patrick-hand-latin'],
            ...['press-start-2p-cyrillic', 'press-start-2p-latin', 'roboto-mono-cyrillic', 'roboto-mono-latin']
        ].map((name) => `${name}-400-normal`));
        await context.close();
        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('shows a page that is too large for HTML by script, in frames too, and says that it needs one', async () => {
        const large = await make({ title: 'A large page' });
        const { body } = await test.call('GET', `/users/${ana.id}/projects/${large.id}/pages`);
        const { body: { page: other } } = await test.call('POST', `/users/me/projects/${large.id}/pages`, { x: 1, y: 0 }, { token: ana.token });
        await write(large, [
            { type: 'link', attributes: { text: 'Onwards', targetPageId: other.id }, styles: { zIndex: 2 } },
            ...Array.from({ length: 20 }, (_each, n) => ({ type: 'text', attributes: { text: `${n} ${'&'.repeat(15_000)}` }, styles: { top: 50, width: 300, height: 40 } }))
        ]);
        for (const suffix of ['', '/embed']) {
            const context = await open(sizes[1]);
            const page = await visit(context, `/p/${large.id}${suffix}?lang=pt`);
            await page.locator('.pagewright-page', { hasText: 'Onwards' }).waitFor();
            expect(await page.locator('.pagewright-page [data-element]').count()).to.equal(21);
            await page.locator('.pagewright-page a').click();
            await page.waitForURL(`${test.url}/p/${large.id}/${other.id}${suffix}?lang=pt`);
            await page.locator('.number', { hasText: /^2 / }).waitFor();
            await context.close();
        }

        const failing = await open(sizes[1]);
        await failing.route(`**/pages/${body.pages[0].id}`, (route) => route.fulfill({ status: 503 }));
        const failed = await visit(failing, `/p/${large.id}`);
        await failed.locator('.sheet', { hasText: 'did not work' }).waitFor();
        await failing.close();
        expect(wrong.splice(0).every((each) => each.includes('503'))).to.be.true();

        const plain = await open(sizes[1], { javaScriptEnabled: false });
        const still = await visit(plain, `/p/${large.id}`);
        expect(await still.locator('.sheet').textContent()).to.contain('needs JavaScript');
        await plain.close();
    });

    lab.test('shows who is signed in, what is their own, and lets them remix', async () => {
        const own = await make({ title: 'Only mine', visibility: 'private' });
        const context = await open(sizes[1], {}, ana);
        const page = await visit(context, `/p/${own.id}`);
        await page.locator('h1', { hasText: 'Only mine' }).waitFor();
        expect(await page.locator('nav.session').textContent()).to.contain(ana.username);
        await page.locator('[data-action="edit"]').waitFor();

        const id = await idOf('harbour');
        await page.goto(`${test.url}/p/${id}`);
        await page.locator('[data-action="remix"]').click();
        await page.waitForURL(/\/edit\/\d+$/);
        const { body } = await test.call('GET', '/users/me/projects?visibility=all', undefined, { token: ana.token });
        expect(body.projects.map(({ remixed_from: source }: { remixed_from: string }) => source)).to.include(id);

        await page.goto(`${test.url}/p/${id}`);
        await page.locator('.report summary').click();
        await page.locator('.report select').selectOption('other');
        await page.locator('.report button').click();
        await page.locator('.told', { hasText: 'Thank you' }).waitFor();
        await context.close();

        const stranger = await open(sizes[1]);
        const missing = await visit(stranger, `/p/${own.id}`);
        await missing.locator('h1', { hasText: 'Nothing here' }).waitFor();
        await stranger.close();
        expect(wrong.splice(0)).to.equal([]);
        expect(test.errors()).to.equal([]);
    });

    lab.test('has two rows at the top of a phone for people with more links too, in each language, with a menu', async () => {
        const end = randomBytes(4).toString('hex');
        const [mona, theo] = [await test.open(`mona-${end}`), await test.open(`theodora-an-${end}`)] as const;
        for (const [{ username }, right] of [[mona, 'moderator'], [mona, 'staff'], [mona, 'teacher'], [theo, 'teacher']] as const) {
            expect(await run(['grant', username, right], fakeHost({ DATA_DIR: test.dataDir }))).to.equal(0);
        }

        const people = [{ who: mona, room: '/admin', count: 5 }, { who: theo, room: '/classes', count: 3 }] as const;
        for (const [lang, { who, room, count }] of Object.keys(languageNames).flatMap((code) => people.map((one) => [code, one] as const))) {
            const context = await open(sizes[1], {}, who);
            const page = await visit(context, `/?lang=${lang}`);
            const links = page.locator('nav.session .menu a');
            const more = page.locator('nav.session button');
            await page.locator(`nav.session [href^="${room}"]`).waitFor({ state: 'attached' });
            await settled(page);
            expect(Number((await page.locator('header').boundingBox())?.height), lang).to.be.below(125);
            expect(await links.first().isVisible(), lang).to.be.false();
            expect(await page.locator('nav.session > a').evaluate((name) => getComputedStyle(name).direction), `${lang}: a name that is cut keeps its beginning`).to.equal('ltr');
            const around = await more.evaluate((button) => {
                const words = document.createRange();
                words.selectNodeContents(button);
                return button.getBoundingClientRect().width - words.getBoundingClientRect().width;
            });
            expect(around, `${lang}: the button is as wide as its words`).to.be.above(20);
            await more.press('Enter');
            expect(await links.count(), lang).to.equal(count);
            for (const target of [more, ...await links.all()]) {
                const { x = -1, width = 0, height = 0 } = await target.boundingBox() ?? {};
                expect(x >= 0 && x + width <= 390 && width >= 44 && height >= 44, `${lang}: ${await target.textContent()}`).to.be.true();
            }

            expect(await faultsOn(page, ['.picture'], 'header'), lang).to.equal([]);
            await page.keyboard.press('Tab');
            await page.keyboard.press('Escape');
            expect(await links.first().isVisible(), lang).to.be.false();
            expect(await more.evaluate((button) => button === document.activeElement), lang).to.be.true();
            await more.click();
            await links.first().waitFor();
            await page.getByRole('searchbox').focus();
            expect(await links.first().isVisible(), lang).to.be.false();
            await page.setViewportSize(sizes[0]);
            await links.first().waitFor();
            expect(await more.isVisible(), lang).to.be.false();
            await context.close();
        }

        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('searches for words, and not for blanks', async () => {
        const context = await open(sizes[0]);
        const page = await visit(context, '/');
        const field = page.getByRole('searchbox');
        await field.fill('   ');
        await page.keyboard.press('Enter');
        expect(await field.evaluate((input: HTMLInputElement) => input.validity.patternMismatch)).to.be.true();
        await field.fill('harbour');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/find?q=harbour');
        await context.close();
        expect(wrong.splice(0)).to.equal([]);
    });
});
