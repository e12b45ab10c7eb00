import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { run } from '../../src/operations/cli/main';
import { faultsOn } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { fakeHost, until } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';

export const lab = Lab.script();
const { after, afterEach, before, describe, it } = lab;

/** Pixels that a finger of a child needs. */
const FINGER = 56;

describe('the pages to sign in with pictures', () => {
    let test: Product;
    let browser: Browser;
    const wrong: string[] = [];

    before(async () => {
        test = await startProduct();
        browser = await launchChromium();
    });

    after(async () => {
        await browser?.close();
        await test?.stop();
    });

    afterEach(async () => {
        await Promise.all(browser.contexts().map((context) => context.close()));
        expect(wrong.splice(0)).to.equal([]);
    });

    const windowOf = async (path: string, options: BrowserContextOptions, actor?: Actor): Promise<Page> => {
        const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
        context.setDefaultTimeout(60_000);
        if (actor !== undefined) {
            const { id, username, token } = actor;
            await context.addInitScript(`localStorage.getItem('was-in') ?? (localStorage.setItem('was-in', ''), localStorage.setItem('pagewright ' + location.origin, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))}))`);
        }

        const page = await context.newPage();
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || wrong.push(message)));
        page.on('console', (message) => void (/Content.Security.Policy/i.test(message.text()) && wrong.push(message.text())));
        page.on('dialog', (dialog) => void dialog.accept());
        await page.goto(`${test.url}${path}`);
        await page.locator('h1').waitFor();
        return page;
    };

    /** With `SCREENSHOTS`, a folder, keeps how a page looks. */
    const picture = async (page: Page, name: string): Promise<void> => {
        const { SCREENSHOTS: folder } = process.env;
        if (folder !== undefined) {
            mkdirSync(folder, { recursive: true });
            await page.evaluate('document.fonts.ready');
            await page.screenshot({ path: join(folder, `${name}.png`), fullPage: name.includes('whole') });
        }
    };

    const looksRight = async (page: Page, name: string): Promise<void> => {
        await picture(page, name);
        expect(await faultsOn(page)).to.equal([]);
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).to.be.true();
    };

    const smallest = async (page: Page, selector: string): Promise<number> => {
        return Math.min(...await page.locator(selector).evaluateAll((all) => all.flatMap((one) => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])));
    };

    const classOf = async (): Promise<{ eva: Actor; id: string; path: string }> => {
        const eva = await test.open(`pi-${randomBytes(4).toString('hex')}`);
        const host = fakeHost({ DATA_DIR: test.dataDir });
        expect(await run(['grant', eva.username, 'teacher'], host), host.err).to.equal(0);
        const { body: { class: { id } } } = await test.call('POST', '/users/me/classes', { title: 'The bears' }, { token: eva.token });
        const names = ['Ana', 'Ben', 'Cem', 'Dua', 'Élodie', 'Farid', 'Жанна', 'Alexandra-Maria', 'ليلى'];
        expect((await test.call('POST', `/classes/${id}/pupils`, { names }, { token: eva.token })).status).to.equal(201);
        return { eva, id, path: `/class/${id}` };
    };

    /** The pictures on the sheets, by the names of the pupils. */
    const picturesOn = async (page: Page): Promise<ReadonlyMap<string, string[]>> => new Map(await page.locator('.slip').evaluateAll((all) => all.map((one): [string, string[]] => {
        const pictures = [...one.querySelectorAll('.slip-pictures li')].map(({ lastChild }) => String(lastChild?.textContent));
        return [String(one.querySelector('.slip-name')?.textContent), pictures];
    })));

    it('let a teacher prepare a tablet, and a child sign in there by touch, at 390 px', { timeout: 300_000 }, async () => {
        const { eva, id, path } = await classOf();
        const teacher = await windowOf(`${path}?part=settings`, { viewport: { width: 1280, height: 900 } }, eva);
        await teacher.getByRole('button', { name: 'Let pupils sign in with pictures' }).click();
        await teacher.getByRole('button', { name: 'Give pictures to 9 pupils' }).click();
        await teacher.locator('.slip').nth(8).waitFor();
        await teacher.getByRole('button', { name: 'Give pictures' }).waitFor({ state: 'detached' });
        const pictures = await picturesOn(teacher);
        const [first = '', second = '', third = ''] = pictures.get('Ana') ?? [];
        expect(third).to.not.be.empty();
        await looksRight(teacher, 'teacher-1280-whole');
        await teacher.emulateMedia({ media: 'print' });
        await picture(teacher, 'print-whole');
        await teacher.emulateMedia({ media: 'screen' });

        await teacher.getByRole('button', { name: 'Prepare other devices' }).click();
        const address = teacher.getByRole('dialog').locator('input');
        await address.waitFor();
        await looksRight(teacher, 'teacher-prepares');
        const prepares = await address.inputValue();

        const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
        const tablet = await windowOf(prepares.slice(test.url.length), phone);
        await looksRight(tablet, 'tablet-prepare');
        await tablet.getByRole('button', { name: 'Prepare this device' }).tap();
        await tablet.getByRole('heading', { name: 'This device is ready for “The bears”.' }).waitFor();
        expect(tablet.url()).to.equal(`${test.url}${path}`);
        await teacher.getByText('1 device is ready.').waitFor();
        // The next one works once, too.
        await until(async () => await address.inputValue() !== prepares);
        await teacher.getByRole('button', { name: 'Done' }).click();
        await teacher.getByRole('heading', { name: /Chrome/ }).waitFor();

        // What was used is of no use to anybody else.
        const stranger = await windowOf(prepares.slice(test.url.length), phone);
        await stranger.getByRole('button', { name: 'Prepare this device' }).tap();
        await stranger.getByText('This code was used before').waitFor();
        await stranger.goto(`${test.url}${path}`);
        await stranger.locator('input[name="password"]').waitFor();
        expect(await stranger.content()).to.not.contain('Ana');

        await tablet.getByRole('link', { name: 'To the names' }).tap();
        await tablet.getByRole('heading', { name: 'Who are you?' }).waitFor();
        await tablet.getByRole('button', { name: 'Ana', exact: true }).waitFor();
        expect(await tablet.locator('.who button').count()).to.equal(9);
        expect(await smallest(tablet, '.who button')).to.be.at.least(FINGER);
        await looksRight(tablet, 'tablet-names');
        await tablet.getByRole('button', { name: 'Ana', exact: true }).tap();
        await tablet.getByRole('heading', { name: 'Hello, Ana!' }).waitFor();
        expect(await tablet.locator('.picture-grid button').count()).to.equal(24);
        expect(await smallest(tablet, '.picture-grid button, .chosen button, .chosen li')).to.be.at.least(FINGER);
        const choose = async (...names: string[]): Promise<void> => {
            for (const name of names) {
                await tablet.getByRole('button', { name, exact: true }).tap();
            }
        };

        await looksRight(tablet, 'tablet-pictures');
        await choose(second, first);
        await tablet.getByRole('button', { name: 'Take the last picture back' }).tap();
        await choose(third, first);
        await looksRight(tablet, 'tablet-chosen');
        await tablet.getByRole('button', { name: 'Go' }).tap();
        await tablet.getByText('These are not your pictures. Try again.').waitFor();
        expect(await tablet.locator('.chosen .none').count()).to.equal(3);
        await looksRight(tablet, 'tablet-wrong');
        await choose(first, second, third);
        await tablet.getByRole('button', { name: 'Go' }).tap();
        await tablet.getByRole('heading', { name: 'Pupils' }).waitFor();
        await tablet.getByText('Ana').waitFor();
        await looksRight(tablet, 'tablet-inside');

        // Whoever is next finds the names.
        await Promise.all([tablet.waitForEvent('load'), tablet.getByRole('button', { name: 'I am finished' }).tap()]);
        await tablet.getByRole('heading', { name: 'Who are you?' }).waitFor();
        await tablet.goto(`${test.url}/sign-in`);
        await looksRight(tablet, 'tablet-sign-in');
        await tablet.getByRole('link', { name: 'Sign in with pictures: The bears' }).tap();
        await tablet.getByRole('heading', { name: 'Who are you?' }).waitFor();
        await tablet.goto(`${test.url}${path}?lang=ar`);
        await tablet.getByRole('button', { name: 'ليلى' }).tap();
        await tablet.locator('.picture-grid').waitFor();
        await choose('قمر', 'قوس قزح');
        await looksRight(tablet, 'tablet-arabic');

        await teacher.getByRole('button', { name: /^End this device: / }).click();
        await teacher.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
        await teacher.getByText('No device is prepared yet.').waitFor();
        await tablet.goto(`${test.url}${path}`);
        await tablet.locator('input[name="password"]').waitFor();
        expect(await tablet.content()).to.not.contain('Ben');
        expect((await test.call('GET', `/classes/${id}/devices`, undefined, { token: eva.token })).body.devices).to.equal([]);
    });

    it('let a teacher prepare the device in her hands, and a child sign in with the keyboard alone, at 820 px', { timeout: 300_000 }, async () => {
        const { eva, path } = await classOf();
        const page = await windowOf(`${path}?part=settings`, { viewport: { width: 820, height: 1180 }, hasTouch: true }, eva);
        await page.getByRole('button', { name: 'Let pupils sign in with pictures' }).click();
        await page.getByText('Pupils can sign in with pictures.').waitFor();
        await page.goto(`${test.url}${path}?part=people`);
        await page.getByRole('button', { name: 'Pictures of Cem' }).click();
        await looksRight(page, 'pupil-pictures');
        await page.getByRole('dialog').getByRole('button', { name: 'New pictures' }).click();
        await page.locator('.slip').waitFor();
        const [first = '', second = '', third = ''] = (await picturesOn(page)).get('Cem') ?? [];
        await looksRight(page, 'people-820-whole');
        await page.goto(`${test.url}${path}?part=settings`);
        await page.getByRole('button', { name: 'Prepare this device' }).click();
        await page.getByRole('heading', { name: 'Prepare this device for the class' }).waitFor();
        await page.getByRole('button', { name: 'Prepare this device' }).click();
        await page.getByRole('button', { name: 'Sign out, and show the names' }).click();
        await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
        await page.getByRole('button', { name: 'Cem' }).waitFor();
        // Those who have no pictures are not asked.
        expect(await page.locator('.who button').count()).to.equal(1);
        const focused = '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText).trim()';
        const reach = async (name: RegExp): Promise<void> => {
            for (let step = 0; step < 60; ++step) {
                await page.keyboard.press('Tab');
                if (name.test(await page.evaluate<string>(focused))) {
                    await page.keyboard.press('Enter');
                    return;
                }
            }

            throw new Error(`Tab does not reach ${name}`);
        };

        await reach(/Cem$/);
        await page.getByRole('heading', { name: 'Hello, Cem!' }).waitFor();
        await looksRight(page, 'pictures-820');
        for (const name of [first, second, third]) {
            await page.locator('h1').focus();
            await reach(new RegExp(`^${name}$`));
        }

        // The focus is where it goes on.
        await until(async () => await page.evaluate<string>(focused) === 'Go');
        expect(await page.locator('.picture-entry [role="status"]').textContent()).to.equal(`${first}, ${second}, ${third}`);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Pupils' }).waitFor();
        await page.getByText('Cem').waitFor();
    });
});
