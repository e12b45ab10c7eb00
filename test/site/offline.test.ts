import { createHash } from 'node:crypto';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';

import { faultsOn, looks } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { desk, expectSoon, phone, saved, thing, tool, write } from '../support/editing';
import { picture } from '../support/files';
import { OwnService } from '../support/own-service';
import type { Actor } from '../support/server';

export const lab = script();

/** Where screenshots go, for somebody to look at; none are made if it is left out. */
const SHOTS = process.env.SHOTS ?? '';

interface Made {
    id: string;
    page: string;
    second: string;
    owner: Actor;
}

interface Stored {
    attributes: { text?: string };
    styles: Record<string, unknown>;
}

lab.experiment('The site without a network', () => {

    const service = new OwnService();
    let browser: Browser;
    const wrong: string[] = [];

    lab.before(async () => {
        await service.start();
        browser = await launchChromium('allow');
    });

    lab.after(async () => {
        await browser?.close();
        await service.remove();
    });

    lab.afterEach(async () => {
        await service.start();
        await Promise.all(browser.contexts().map((context) => context.close()));
        expect(wrong.splice(0)).to.equal([]);
    });

    /** A browser in which somebody is signed in once; signing out lasts. */
    const windowOf = async (who: Actor | undefined, viewport = desk, options: object = {}): Promise<BrowserContext> => {
        const context = await browser.newContext({ viewport, hasTouch: viewport === phone, locale: 'en', ...options });
        context.setDefaultTimeout(60_000);
        context.on('page', (page) => {
            // Chromium says so of the movement between two pages when the second comes early.
            page.on('pageerror', (error) => void (error.message.startsWith('Transition was aborted') || wrong.push(`${error.name} ${error.message} ${error.stack}`)));
            page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        });
        if (who !== undefined) {
            const page = await context.newPage();
            await page.goto(`${service.url}/offline`);
            await signIn(page, who);
            await page.close();
        }

        return context;
    };

    const signIn = (page: Page, { id, username, token }: Actor): Promise<unknown> => {
        return page.evaluate(`localStorage.setItem(${JSON.stringify(`pagewright ${service.url}`)}, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
    };

    /** Goes to a page, and waits until the service worker answers for it. */
    const show = async (page: Page, path: string): Promise<void> => {
        await page.goto(`${service.url}${path}`);
        await page.evaluate('navigator.serviceWorker.ready');
        await page.waitForFunction('navigator.serviceWorker.controller !== null');
    };

    const edit = async (page: Page, id: string): Promise<void> => {
        await show(page, `/edit/${id}`);
        await page.locator('.stage').waitFor();
    };

    const make = async (texts: readonly string[]): Promise<Made> => {
        const owner = await service.open();
        const token = { token: owner.token };
        const { body: { project, page } } = await service.call('POST', '/users/me/projects', { title: 'A trip by bus' }, token);
        const { body: { page: second } } = await service.call('POST', `/users/me/projects/${project.id}/pages`, { x: 1, y: 0 }, token);
        for (const [index, text] of texts.entries()) {
            await service.call('POST', `/users/me/projects/${project.id}/pages/${page.id}/elements`, { type: 'text', attributes: { text }, styles: { left: 20, top: 20 + 60 * index, width: 200, fontSize: 20 } }, token);
        }

        await service.call('POST', `/users/me/projects/${project.id}/pages/${second.id}/elements`, { type: 'text', attributes: { text: 'On the second page' }, styles: { left: 20, top: 20, width: 200 } }, token);
        return { id: project.id, page: page.id, second: second.id, owner };
    };

    const elementsOf = async ({ id, owner }: Made): Promise<Stored[]> => {
        const { body: { pages } } = await service.call('GET', `/users/${owner.id}/projects/${id}/pages`, undefined, { token: owner.token });
        return pages.flatMap(({ elements }: { elements: Stored[] }) => elements);
    };

    const textsOf = async (made: Made): Promise<string[]> => (await elementsOf(made)).flatMap(({ attributes: { text } }) => text ?? []).sort();

    const shot = async (page: Page, name: string): Promise<void> => {
        await (SHOTS !== '' && page.screenshot({ path: `${SHOTS}/offline-${name}.png` }));
    };

    /** All that a browser keeps on this origin, but the session, the language and the built files. */
    const keptBy = (page: Page): Promise<{ caches: string[]; databases: string[]; storage: string[] }> => page.evaluate(`(async () => ({
        caches: (await caches.keys()).filter((name) => !name.startsWith('pagewright files ')),
        databases: (await indexedDB.databases()).map(({ name }) => name),
        storage: [...Object.keys(localStorage), ...Object.keys(sessionStorage)]
    }))()`);

    /** Takes the network away: the browser has none, and nothing listens. */
    const cut = async (context: BrowserContext): Promise<void> => {
        await context.setOffline(true);
        await service.stop();
    };

    const back = async (context: BrowserContext): Promise<void> => {
        await service.start();
        await context.setOffline(false);
    };

    /** What the pages keep in the background. */
    const settled = (page: Page): Promise<void> => page.waitForTimeout(1500);

    /** Waits until the browser has a copy of what is at this path. */
    const copied = async (page: Page, path: string): Promise<void> => {
        while (!await page.evaluate<boolean>(`caches.match(${JSON.stringify(path)}, { ignoreVary: true }).then((found) => found !== undefined)`)) {
            await page.waitForTimeout(100);
        }
    };

    const replaceWords = async (page: Page, words: string, by: string): Promise<void> => {
        await thing(page, words).focus();
        await page.keyboard.press('Enter');
        await page.locator('.inline-text textarea:focus').waitFor();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(by);
        await page.keyboard.press('Escape');
    };

    for (const viewport of [desk, phone]) {
        const size = viewport === desk ? 'laptop' : 'phone';

        lab.test(`plays and edits what was opened, through reloads, and merges on return, on a ${size}`, async () => {
            const made = await make(['The bus is red', 'We wait']);
            const token = { token: made.owner.token };
            const bytes = await picture('png');
            const hash = createHash('sha256').update(bytes).digest('hex');
            expect((await service.call('PUT', `/users/me/assets/${hash}`, bytes, { ...token, headers: { 'content-type': 'image/png' } })).status).to.be.within(200, 201);
            await service.call('POST', `/users/me/projects/${made.id}/pages/${made.page}/elements`, { type: 'image', attributes: { src: `asset:${hash}`, alt: 'A picture' }, styles: { left: 20, top: 200, width: 100, height: 100 } }, token);
            const context = await windowOf(made.owner, viewport);
            const page = await context.newPage();
            await show(page, '/');
            await show(page, '/account/projects');
            await page.getByText('A trip by bus').first().waitFor();
            await edit(page, made.id);
            await replaceWords(page, 'We wait', 'We wait in the rain');
            await saved(page);
            await copied(page, await page.evaluate<string>('document.querySelector(".stage img").src'));
            await settled(page);

            await cut(context);
            await page.reload();
            // What was saved after it was opened is there too.
            await thing(page, 'We wait in the rain').waitFor();
            await page.locator('.status.unreachable').getByText('No connection').waitFor();
            expect(await page.evaluate('document.querySelector(".stage img").decode().then(() => document.querySelector(".stage img").naturalWidth > 0)')).to.be.true();
            await replaceWords(page, 'The bus is red', 'The bus is blue');
            await page.locator('.status.offline').getByText('1 edit waits').waitFor();
            if (viewport === phone) {
                // What is chosen has its bar in the place of the strip of pages.
                await page.locator('.chosen-bar .tool').last().click();
            }

            await tool(page, 'Add page');
            await tool(page, 'Text');
            await write(page, 'Made on the way');
            await page.keyboard.press('Escape');
            await page.locator('.status.offline').getByText('4 edits wait').waitFor();
            await settled(page);
            await shot(page, `editor-${size}`);

            await page.reload();
            await thing(page, 'The bus is blue').waitFor();
            await page.locator('.status.offline').getByText('4 edits wait').waitFor();
            await page.getByRole('link', { name: 'Play' }).click();
            await page.locator('.player').getByText('The bus is blue').waitFor();
            await page.locator('.network').getByText('No connection').waitFor();
            await shot(page, `player-${size}`);
            await page.keyboard.press('ArrowRight');
            await page.locator('.player').getByText('On the second page').waitFor();
            await page.keyboard.press('ArrowRight');
            await page.locator('.player').getByText('Made on the way').waitFor();
            await page.goto(`${service.url}/account/projects`);
            await page.getByText('A trip by bus').first().waitFor();
            await page.goto(`${service.url}/`);
            await page.locator('.network').getByText('No connection').waitFor();
            await shot(page, `gallery-${size}`);
            await page.goto(`${service.url}/u/nobody-was-here`);
            await page.getByRole('heading', { name: 'No connection' }).waitFor();
            await shot(page, `nothing-${size}`);

            await edit(page, made.id);
            await service.start();
            const [{ id: first }] = (await service.call('GET', `/users/me/projects/${made.id}/pages/${made.page}/elements`, undefined, token)).body.elements;
            await service.call('PATCH', `/users/me/projects/${made.id}/pages/${made.page}/elements/${first}`, { styles: { left: 20, top: 20, width: 200, fontSize: 20, color: '#ff0000' } }, token);
            await context.setOffline(false);
            await saved(page);
            await expectSoon(async () => expect(await textsOf(made)).to.equal(['Made on the way', 'On the second page', 'The bus is blue', 'We wait in the rain']));
            expect((await elementsOf(made)).find(({ attributes: { text } }) => text === 'The bus is blue')?.styles.color).to.equal('#ff0000');
            // What others did is on the screen, and nothing is there twice.
            await page.waitForFunction('[...document.querySelectorAll(".stage [data-element]")].filter(({ textContent }) => textContent === "The bus is blue").length === 1');
            await page.reload();
            await saved(page);
            expect(await page.locator('.status.unreachable').count()).to.equal(0);
        });
    }

    lab.test('plays all pages of a project of somebody else, and pages as a guest', async () => {
        const made = await make(['Of somebody else']);
        const reader = await service.open();
        const [context, guests] = [await windowOf(reader), await windowOf(undefined)];
        const [page, guest] = [await context.newPage(), await guests.newPage()];
        await show(page, '/');
        await show(page, `/p/${made.id}`);
        await show(guest, '/');
        await show(guest, `/p/${made.id}`);
        await copied(page, `/users/${made.owner.id}/projects/${made.id}/pages`);
        await copied(guest, `/p/${made.id}`);
        await guests.setOffline(true);
        await cut(context);
        await page.reload();
        await page.locator('.player').getByText('Of somebody else').waitFor();
        await page.keyboard.press('ArrowRight');
        await page.locator('.player').getByText('On the second page').waitFor();
        await guest.reload();
        await guest.locator('.player').getByText('Of somebody else').waitFor();
        await guest.goto(`${service.url}/moderation`).catch(() => undefined);
        expect(await guest.locator('#root').count()).to.equal(0);
        await back(context);
    });

    lab.test('opens by the first page that was ever opened, and sends each edit of two tabs once', async () => {
        const made = await make(['One', 'Two']);
        const context = await windowOf(made.owner);
        const [one, two] = [await context.newPage(), await context.newPage()];
        await edit(one, made.id);
        await edit(two, made.id);
        await settled(two);
        await context.setOffline(true);
        await one.reload();
        await replaceWords(one, 'One', 'One by the first tab');
        await one.locator('.status.offline').waitFor();
        await two.reload();
        await thing(two, 'One by the first tab').waitFor();
        await tool(two, 'Text');
        await write(two, 'Three by the second tab');
        await two.keyboard.press('Escape');
        await two.locator('.status.offline').getByText('edits wait').waitFor();
        await context.setOffline(false);
        await Promise.all([saved(one), saved(two)]);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['On the second page', 'One by the first tab', 'Three by the second tab', 'Two']));
        await thing(one, 'Three by the second tab').waitFor();
    });

    lab.test('leaves nothing behind when somebody signs out, and asks before if edits wait', async () => {
        const made = await make(['Private words']);
        const context = await windowOf(made.owner);
        const [page, other] = [await context.newPage(), await context.newPage()];
        await show(page, '/account/projects');
        await page.getByText('A trip by bus').first().waitFor();
        await show(other, `/p/${made.id}`);
        await edit(other, made.id);
        await settled(other);
        await context.setOffline(true);
        await replaceWords(other, 'Private words', 'Not sent');
        await other.locator('.status.offline').waitFor();
        const before = await keptBy(page);
        expect(before.caches.map((name) => name.split(' ')[1]).sort()).to.equal(['copies', 'pages']);
        expect(before.databases).to.equal([`pagewright-editor ${made.owner.id} ${made.id}`]);

        const out = page.getByRole('button', { name: 'Sign out', exact: true });
        await out.click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('1 edit was not sent yet').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await out.focus();
        await page.keyboard.press('Enter');
        await shot(page, 'signing-out');
        await dialog.getByRole('button', { name: 'Sign out and delete' }).click();
        await page.waitForURL(`${service.url}/`);
        // The editor in the other tab shows nothing of it either.
        await other.getByRole('link', { name: 'Sign in' }).waitFor();
        await other.close();
        await expectSoon(async () => expect(await keptBy(page)).to.equal({ caches: [], databases: [], storage: [] }));
        await context.setOffline(false);
        expect(await textsOf(made)).to.contain('Private words');
    });

    lab.test('removes all copies when the session was ended elsewhere, and keeps edits that were not sent for the same person alone', async () => {
        const made = await make(['Mine']);
        const [context, reader] = [await windowOf(made.owner), await service.open()];
        const page = await context.newPage();
        await show(page, '/');
        await edit(page, made.id);
        await settled(page);
        await context.setOffline(true);
        await replaceWords(page, 'Mine', 'Mine alone');
        await page.locator('.status.offline').waitFor();
        await service.call('DELETE', '/tokens', undefined, { token: made.owner.token });
        await context.setOffline(false);
        await page.locator('.status.signed-out').waitFor();
        await expectSoon(async () => expect((await keptBy(page)).caches.filter((name) => name.startsWith('pagewright copies'))).to.equal([]));
        await page.goto(`${service.url}/sign-in`);
        await page.getByText(`1 edit of ${made.owner.username} waits`).waitFor();
        await shot(page, 'waits-for-somebody');
        await signIn(page, reader);
        await page.goto(`${service.url}/account`);
        await expectSoon(async () => {
            const { databases, storage } = await keptBy(page);
            expect(databases).to.equal([]);
            expect(storage.filter((name) => /^pagewright (?:kept|undone|clipboard)/.test(name))).to.equal([]);
        });
        expect(await page.evaluate('JSON.parse(localStorage.getItem("pagewright device")).id')).to.equal(reader.id);
    });

    lab.test('can be installed', async () => {
        const context = await windowOf(undefined);
        const page = await context.newPage();
        await show(page, '/?lang=pt');
        const devtools = await context.newCDPSession(page);
        const { errors, data, url } = await devtools.send('Page.getAppManifest');
        expect(errors).to.equal([]);
        expect(url).to.equal(`${service.url}/manifest.webmanifest?lang=pt`);
        const manifest = JSON.parse(String(data));
        expect(manifest).to.include({ id: '/', name: 'Pagewright', start_url: '/?lang=pt', scope: '/', display: 'standalone', lang: 'pt', dir: 'ltr', theme_color: '#a8440f' });
        expect(manifest.icons.map(({ sizes, purpose }: Record<string, string>) => `${sizes} ${purpose}`)).to.equal(['192x192 any', '512x512 any', '192x192 maskable', '512x512 maskable']);
        for (const { src, sizes } of manifest.icons) {
            const { width, height, format } = await sharp(Buffer.from(await (await fetch(`${service.url}${src}`)).arrayBuffer())).metadata();
            expect({ format, size: `${width}x${height}` }).to.equal({ format: 'png', size: sizes });
        }

        const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
        expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).to.equal([]);
        expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope, active }) => [scope, active.scriptURL, active.state]))')).to.equal([[`${service.url}/`, `${service.url}/service-worker.js`, 'activated']]);
    });

    lab.test('takes over another release without breaking pages that are open, and keeps two', async () => {
        const made = await make(['Before']);
        const context = await windowOf(made.owner);
        const page = await context.newPage();
        await show(page, '/');
        await edit(page, made.id);
        const names = (): Promise<string[]> => page.evaluate('caches.keys().then((names) => names.filter((name) => name.startsWith("pagewright files ")))');
        const [first] = await names();
        for (const SITE_NAME of ['Second', 'Third']) {
            await service.stop();
            await service.start({ SITE_NAME });
            const other = await context.newPage();
            await show(other, '/');
            await other.evaluate('navigator.serviceWorker.getRegistration().then((one) => one.update())');
            await expectSoon(async () => expect((await names()).length).to.equal(2));
            expect(await other.title()).to.equal(SITE_NAME);
            await replaceWords(page, SITE_NAME === 'Second' ? 'Before' : 'Written in Second', `Written in ${SITE_NAME}`);
            await saved(page);
            await other.close();
        }

        await expectSoon(async () => expect(await names()).to.not.contain(first));
        expect(await textsOf(made)).to.contain('Written in Third');
        await service.stop();
        await service.start();
    });

    for (const { name, lang, options, t } of looks) {
        lab.test(`has nothing that axe finds, ${name}`, async () => {
            const made = await make(['Words']);
            const context = await windowOf(made.owner, options.viewport ?? desk, options);
            const page = await context.newPage();
            await show(page, `/?lang=${lang}`);
            await edit(page, made.id);
            await settled(page);
            await context.setOffline(true);
            const faults: string[] = [];
            for (const path of ['/', '/u/never-opened', `/p/${made.id}`, `/edit/${made.id}`]) {
                await page.goto(`${service.url}${path}?lang=${lang}`);
                await page.locator('.player, .stage, .message, .welcome').first().waitFor();
                expect(await page.evaluate('document.documentElement.lang')).to.equal(lang);
                await page.locator('.network, .status.unreachable').getByText(t(path.startsWith('/edit') ? 'editor.state_unreachable' : 'page.offline')).waitFor();
                faults.push(...(await faultsOn(page, ['.pagewright-page'])).map((fault) => `${path}: ${fault}`));
                expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), path).to.be.true();
                await shot(page, `${lang}${path.replaceAll('/', '-').replace(/\d+/, '')}`);
            }

            expect(faults).to.equal([]);
        });
    }
});
