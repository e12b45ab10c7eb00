import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';

import { faultsOn, looks } from '../support/axe';
import { launchChromium } from '../support/chromium';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import type { Actor } from '../support/server';
import { fileOf, zipBytes } from '../support/zips';

export const lab = script();

const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }] as const;

/** Pixels that differ so that somebody could see it, in a hundred. */
async function differing(one: Buffer, other: Buffer): Promise<number> {
    const [a, b] = await Promise.all([one, other].map((png) => sharp(png).removeAlpha().raw().toBuffer()));
    const [first, second] = [a ?? Buffer.alloc(0), b ?? Buffer.alloc(1)];
    expect(first.length).to.equal(second.length);
    let count = 0;
    for (let at = 0; at < first.length; at += 3) {
        count += Number([0, 1, 2].some((channel) => Math.abs(Number(first[at + channel]) - Number(second[at + channel])) > 12));
    }

    return 100 * count / (first.length / 3);
}

/** A second of a tone, as WAV. */
function tone(): Buffer {
    const head = Buffer.alloc(44);
    head.write('RIFF', 0, 'latin1');
    head.writeUInt32LE(36 + 8000, 4);
    head.write('WAVEfmt ', 8, 'latin1');
    head.writeUInt32LE(16, 16);
    head.writeUInt16LE(1, 20);
    head.writeUInt16LE(1, 22);
    head.writeUInt32LE(8000, 24);
    head.writeUInt32LE(8000, 28);
    head.writeUInt16LE(1, 32);
    head.writeUInt16LE(8, 34);
    head.write('data', 36, 'latin1');
    head.writeUInt32LE(8000, 40);
    return Buffer.concat([head, Buffer.from(Array.from({ length: 8000 }, (_each, n) => 128 + Math.round(60 * Math.sin(n / 3))))]);
}

lab.experiment('A project as one HTML file, in a browser', () => {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-html-'));
    const address = pathToFileURL(join(folder, 'project.html')).href;
    const wrong: string[] = [];
    let test: Product;
    let browser: Browser;
    let ana: Actor;
    let id: string;

    lab.before(async () => {
        test = await startProduct();
        browser = await launchChromium();
        ana = await test.open(`ana-${randomBytes(4).toString('hex')}`);
        const picture = await sharp({ create: { width: 640, height: 300, channels: 3, background: '#2a7fba' } }).png().toBuffer();
        const sound = tone();
        const [pictureHash = '', soundHash = ''] = [picture, sound].map((bytes) => createHash('sha256').update(bytes).digest('hex'));
        const text = (top: number, words: string, styles: object = {}): object => ({ type: 'text', attributes: { text: words }, styles: { left: 20, top, width: 280, fontSize: 20, ...styles } });
        const pages = [
            {
                id: '11', x: 0, y: 0, styles: { backgroundColor: '#fff3d6' }, elements: [
                    text(20, 'One <b>first</b> page — Ж — 漢字 — عربي'), text(80, 'Written by hand', { fontFamily: 'cursive', fontSize: 30 }), text(130, 'A book', { fontFamily: 'Lora', fontWeight: 'bold' }),
                    { type: 'image', attributes: { src: `asset:${pictureHash}`, alt: 'The sea' }, styles: { left: 20, top: 180, width: 280, height: 130 } },
                    { type: 'link', attributes: { text: 'To the third', targetPageId: '13' }, styles: { left: 20, top: 330 } },
                    { type: 'button', attributes: { text: 'Open', reveals: 'Shown' }, styles: { left: 20, top: 370, width: 100, backgroundColor: '#ffffff' } },
                    { type: 'shape', attributes: { shape: 'ellipse' }, styles: { left: 200, top: 360, width: 80, height: 80, backgroundColor: 'tomato' } }
                ]
            },
            { id: '12', x: 1, y: 0, elements: [text(20, '</script><script>window.ran=1</script><img src=x onerror="window.ran=2">'), { type: 'sound', attributes: { src: `asset:${soundHash}`, alt: 'A tone' }, styles: { left: 20, top: 200, width: 280 } }] },
            { id: '13', x: 0, y: 1, elements: [text(20, 'The third'), { type: 'image', attributes: { src: 'https://evil.example/x.png' }, styles: { left: 20, top: 100, width: 100, height: 100 } }, { type: 'link', attributes: { text: 'Elsewhere', targetProjectId: '999999' }, styles: { left: 20, top: 300 } }] }
        ];
        const zip = zipBytes([
            { name: 'project.json', content: JSON.stringify(fileOf({ id: '9', title: 'A <file>', visibility: 'public' }, pages)) }, { name: `assets/${pictureHash}.png`, content: picture }, { name: `assets/${soundHash}.wav`, content: sound }
        ]);
        const { status, text: told, body } = await test.call('POST', '/users/me/imports', zip, { token: ana.token, headers: { 'content-type': 'application/zip' } });
        expect(status, told).to.equal(201);
        id = body.project.id;
        writeFileSync(join(folder, 'project.html'), (await test.call('GET', `/users/${ana.id}/projects/${id}/export?as=html`)).text);
    });

    lab.after(async () => {
        await browser?.close();
        await test?.stop();
        rmSync(folder, { recursive: true });
    });

    const open = async (options: Parameters<Browser['newContext']>[0] = {}, to = address): Promise<Page> => {
        const context = await browser.newContext({ locale: 'en', ...options });
        const page = await context.newPage();
        if (to === address) {
            page.on('request', (request) => {
                if (!request.url().startsWith('data:') && request.url().split('#')[0] !== address) {
                    wrong.push(`asks ${request.url()}`);
                }
            });
            page.on('console', (message) => wrong.push(message.text()));
            page.on('pageerror', (error) => wrong.push(String(error)));
        }

        await page.goto(to);
        await page.locator('.pagewright-page').waitFor();
        await page.evaluate('document.fonts.ready');
        await page.waitForFunction(() => [...document.images].every((image) => image.complete));
        return page;
    };

    const shownText = (page: Page): Promise<string> => page.locator('.pagewright-page').innerText();
    const number = (page: Page): Promise<string> => page.locator('.number').innerText();

    for (const viewport of sizes) {
        lab.test(`looks as the player does, ${viewport.width} pixels wide, and asks nobody for anything`, async () => {
            const player = await open({ viewport, reducedMotion: 'reduce' }, `${test.url}/p/${id}/embed`);
            const file = await open({ viewport, reducedMotion: 'reduce' });
            expect(await differing(await player.screenshot(), await file.screenshot())).to.be.below(1);
            const widthOfPicture = (page: Page): Promise<number | undefined> => page.evaluate(() => document.querySelector<HTMLImageElement>('.pagewright-page img')?.naturalWidth);
            expect(Number(await widthOfPicture(player))).to.be.above(0);
            expect(await widthOfPicture(file)).to.equal(640);
            for (const turned of [player, file]) {
                await turned.keyboard.press('ArrowDown');
                await turned.getByText('The third', { exact: true }).waitFor();
                await turned.evaluate('document.fonts.ready');
            }

            expect(await differing(await player.screenshot(), await file.screenshot())).to.be.below(1);
            await Promise.all([player, file].map((page) => page.context().close()));
            expect(wrong.splice(0)).to.equal([]);
        });
    }

    lab.test('has a sound that plays on the site too', async () => {
        const page = await browser.newPage();
        const { body: { pages } } = await test.call('GET', `/users/${ana.id}/projects/${id}/pages`);
        await page.goto(`${test.url}/p/${id}/${pages.find((each: { x: number }) => each.x === 1).id}`);
        await page.waitForFunction(() => Number(document.querySelector('audio')?.duration) > 0.9);
        await page.locator('audio').waitFor();
        await page.close();
    });

    lab.test('is played by keys, links and the back button, as the player is', async () => {
        const page = await open();
        expect(await page.title()).to.equal('A <file>');
        expect(await number(page)).to.equal('1 of 3');
        await page.keyboard.press('ArrowRight');
        await page.getByText('2 of 3').waitFor();
        expect(await shownText(page)).to.contain('<script>window.ran=1</script>');
        expect(await page.evaluate('window.ran')).to.be.undefined();
        // The page itself has the focus now, whose number is read out.
        expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).to.equal('Page 2 of 3');
        await page.waitForFunction(() => Number(document.querySelector('audio')?.duration) > 0.9);
        // It has buttons to play it with.
        await page.locator('audio').waitFor();

        await page.getByRole('link', { name: 'Page to the left' }).focus();
        await page.keyboard.press('Enter');
        await page.getByText('1 of 3').waitFor();
        await page.getByRole('link', { name: 'To the third' }).click();
        await page.getByText('3 of 3').waitFor();
        expect(await page.getByRole('link', { name: 'Elsewhere' }).getAttribute('href')).to.equal(`${test.url}/p/999999`);
        await page.goBack();
        await page.getByText('1 of 3').waitFor();
        await page.getByText('Open', { exact: true }).click();
        expect(await shownText(page)).to.contain('Shown');
        // It begins at the page that its address names, and at the first one if there is no such page.
        await page.reload();
        await page.getByText('1 of 3').waitFor();
        await page.goto(`${address}#77`);
        await page.getByText('1 of 3').waitFor();
        // The focus stays at a link that is there again.
        await page.getByRole('link', { name: 'Page to the right' }).focus();
        await page.keyboard.press('Enter');
        await page.getByText('2 of 3').waitFor();
        expect(await page.evaluate('document.activeElement.dataset.key')).to.equal('ArrowRight');
        await page.context().close();
        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('is turned by a finger', async () => {
        const page = await open({ viewport: sizes[1], hasTouch: true });
        await page.locator('.sheet').evaluate((sheet) => {
            const at = (clientX: number): Touch => new Touch({ identifier: 1, target: sheet, clientX, clientY: 200 });
            sheet.dispatchEvent(new TouchEvent('touchstart', { touches: [at(300)], bubbles: true }));
            sheet.dispatchEvent(new TouchEvent('touchend', { changedTouches: [at(100)], bubbles: true }));
        });
        await page.getByText('2 of 3').waitFor();
        await page.context().close();
        expect(wrong.splice(0)).to.equal([]);
    });

    lab.test('speaks the language of the browser', async () => {
        for (const [locale, told] of [['pt-BR', '1 de 3'], ['ar', 'rtl'], ['fi', '1 of 3']] as const) {
            const page = await open({ locale });
            expect(await page.locator('html').getAttribute(told === 'rtl' ? 'dir' : 'lang')).to.equal(told === 'rtl' ? 'rtl' : locale === 'fi' ? 'en' : 'pt');
            if (told !== 'rtl') {
                expect(await number(page)).to.equal(told);
            }

            await page.context().close();
        }

        expect(wrong.splice(0)).to.equal([]);
    });

    for (const { name, options } of looks) {
        lab.test(`has nothing that axe finds, ${name}`, async () => {
            // The policy of the file lets no other script in.
            const page = await open({ ...options, bypassCSP: true });
            expect(await faultsOn(page, ['.pagewright-page'])).to.equal([]);
            await page.keyboard.press('ArrowRight');
            expect(await faultsOn(page, ['.pagewright-page'])).to.equal([]);
            await page.context().close();
        });
    }
});
