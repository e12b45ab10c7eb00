import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

import { Editing, expectSoon, holdBack, middleOf, phone, saved, thing, told, write } from '../support/editing';
import type { Made } from '../support/editing';
import { noise, picture, referenceTo } from '../support/files';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const none = Buffer.alloc(0);

describe('the editor under mouse and touch', () => {
    const editing = new Editing();
    const { open, make, put, pagesOf, onlyOf, textsOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const photo = async (styles: object = { left: 40, top: 60, width: 120, height: 90 }): Promise<object> => {
        return { type: 'image', attributes: { src: `data:image/png;base64,${(await picture()).toString('base64')}`, alt: 'Cat' }, styles };
    };

    const withPhoto = async (styles?: object): Promise<Made> => {
        const made = await make();
        await put(made, await photo(styles));
        return made;
    };

    /** Drags by a real mouse. */
    const drag = async (page: Page, from: { x: number; y: number }, right: number, down: number): Promise<void> => {
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x + right, from.y + down, { steps: 8 });
        await page.mouse.up();
    };

    it('drags a picture, and a text that lies over one', async () => {
        const made = await withPhoto();
        await put(made, { type: 'text', attributes: { text: 'On top' }, styles: { left: 60, top: 80, width: 60, fontSize: 16 } });
        const page = await open(made.owner, made.id);
        await drag(page, await middleOf(thing(page, 'Cat')), 0, 200);
        await saved(page);
        await expectSoon(async () => expect(Number((await pagesOf(made))[0]?.elements[0]?.styles.top)).to.be.above(120));
        await drag(page, await middleOf(thing(page, 'On top')), 0, -50);
        await saved(page);
        await expectSoon(async () => expect(Number((await pagesOf(made))[0]?.elements[1]?.styles.top)).to.be.below(70));
        expect(Number((await onlyOf(made)).styles.top)).to.be.above(120);
    });

    it('keeps a part of what is dragged on the page, where it can be taken hold of again', async () => {
        const made = await withPhoto({ left: 100, top: 300, width: 120, height: 90 });
        const page = await open(made.owner, made.id);
        for (const [right, down, styles] of [[900, 0, { left: 310, top: 300 }], [-900, 900, { left: -110, top: 470 }], [0, -900, { left: -110, top: -80 }]] as const) {
            const { x, y, width, height } = await middleOf(thing(page, 'Cat'));
            const desk = await middleOf(page.locator('.stage'));
            const [left, top] = [Math.max(x - width / 2, desk.x - desk.width / 2), Math.max(y - height / 2, desk.y - desk.height / 2)];
            const [to, bottom] = [Math.min(x + width / 2, desk.x + desk.width / 2), Math.min(y + height / 2, desk.y + desk.height / 2)];
            // What is chosen has handles, which may lie over the part that is left.
            await page.keyboard.press('Escape');
            await drag(page, { x: (left + to) / 2, y: (top + bottom) / 2 }, right, down);
            await saved(page);
            await expectSoon(async () => expect((await onlyOf(made)).styles).to.include(styles));
        }
    });

    it('keeps the proportions of a picture at its corners, but not with Shift', async () => {
        const made = await withPhoto();
        const page = await open(made.owner, made.id);
        await thing(page, 'Cat').click();
        await drag(page, await middleOf(page.locator('.handle.se')), 80, 0);
        await saved(page);
        const { styles } = await onlyOf(made);
        expect(Number(styles.width)).to.be.above(150);
        expect(Number(styles.width) / Number(styles.height)).to.be.about(120 / 90, 0.03);
        await page.keyboard.down('Shift');
        await drag(page, await middleOf(page.locator('.handle.se')), 80, 0);
        await page.keyboard.up('Shift');
        await saved(page);
        await expectSoon(async () => expect(Number((await onlyOf(made)).styles.width)).to.be.above(Number(styles.width) + 30));
        expect((await onlyOf(made)).styles.height).to.equal(styles.height);
    });

    it('keeps the opposite corner where it is when a turned picture is made larger', async () => {
        const made = await withPhoto({ left: 100, top: 200, width: 120, height: 90, rotate: 90 });
        const page = await open(made.owner, made.id);
        await thing(page, 'Cat').click();
        const corner = (name: string): Promise<{ x: number; y: number }> => middleOf(page.locator(`.handle.${name}`));
        for (const [pulled, still, right, down] of [['se', 'nw', -60, 80], ['nw', 'se', 45, -60], ['ne', 'sw', 45, 60]] as const) {
            const [from, stays] = [await corner(pulled), await corner(still)];
            await drag(page, from, right, down);
            await saved(page);
            const [to, stayed] = [await corner(pulled), await corner(still)];
            expect(Math.hypot(to.x - from.x, to.y - from.y), pulled).to.be.above(50);
            expect(stayed.x, still).to.be.about(stays.x, 3);
            expect(stayed.y, still).to.be.about(stays.y, 3);
        }
    });

    it('puts a picture on the page for which it was chosen, and shows what is wrong with one', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        const goOn = await holdBack(page, '**/users/*/assets*');
        await page.locator('.tool.file input').setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: await picture() });
        await page.getByRole('button', { name: 'Add page', exact: true }).click();
        await page.getByRole('button', { name: 'Page 2, 0 things on it' }).waitFor();
        goOn();
        await page.getByRole('button', { name: 'Page 1, 1 thing on it' }).waitFor();
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made)).map(({ elements }) => elements.map(({ type }) => type))).to.equal([['image'], []]));
        expect(await page.locator('.frame').count()).to.equal(0);

        await page.locator('.tool.file input').setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: Buffer.concat([await picture(), Buffer.alloc(11 * 1024 * 1024)]) });
        const problem = page.locator('.banner.problem');
        await problem.getByText('“large.png” is too large to be sent. A smaller picture or a shorter recording works.').waitFor();
        await page.getByRole('button', { name: 'Page 2, 0 things on it' }).waitFor();
        await problem.getByRole('button', { name: 'Close' }).click();
        await problem.waitFor({ state: 'detached' });
        await page.locator('.tool.file input').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
        await problem.getByText('That is no picture, sound or video.').waitFor();
        await page.locator('.tool.file input').setInputFiles({ name: 'dog.png', mimeType: 'image/png', buffer: await picture() });
        await page.getByRole('button', { name: 'Page 2, 1 thing on it' }).waitFor();
        expect(await problem.count()).to.equal(0);
    });

    it('leaves the words to who writes them while a picture is read', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        await page.evaluate(`{
            const { decode } = HTMLImageElement.prototype;
            const read = new Promise((resolve) => { window.goOn = resolve; });
            HTMLImageElement.prototype.decode = function () { return read.then(() => decode.call(this)); };
        }`);
        await page.locator('.tool.file input').setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: await picture() });
        await page.getByRole('button', { name: 'Text', exact: true }).click();
        await write(page, 'Rain on ');
        await page.evaluate('goOn()');
        await thing(page, 'cat').waitFor();
        await page.keyboard.type('the roof');
        await page.keyboard.press('Escape');
        await saved(page);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Rain on the roof', undefined]));
    });

    it('shows a picture at once, and sends it later: after a reload, by another tab, and when it was chosen without a network', async () => {
        const made = await make();
        const context = await editing.windowOf(made.owner);
        const page = await editing.show(context, made.id);
        const asked: string[] = [];
        page.on('dialog', (dialog) => {
            asked.push(dialog.type());
            void dialog.accept();
        });
        await context.route('**/users/*/assets/**', (route) => route.abort());
        const choose = async (name: string, buffer: Buffer): Promise<void> => {
            await page.locator('.tool.file input').setInputFiles({ name: `${name}.png`, mimeType: 'image/png', buffer });
            await thing(page, name).waitFor();
        };

        await choose('cat', await picture());
        await page.locator('.upload progress').waitFor();
        await page.locator('.status.sending, .status.offline').waitFor();
        await page.reload();
        expect(asked).to.equal(['beforeunload']);
        // Its bytes come from this device.
        await expectSoon(async () => expect(Number(await page.evaluate('document.querySelector(".stage img").naturalWidth'))).to.be.above(0));
        await page.locator('.upload progress').waitFor();
        // What is edited meanwhile is saved, and stays with the picture.
        await thing(page, 'cat').focus();
        await page.keyboard.press('Shift+ArrowDown');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Text', exact: true }).click();
        await write(page, 'Meanwhile');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Meanwhile']));
        const other = await editing.show(context, made.id);
        await context.unroute('**/users/*/assets/**');
        await other.reload();
        await saved(other);
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ type }) => type)).to.equal(['text', 'image']));
        await context.setOffline(true);
        await choose('dog', await sharp({ create: { width: 80, height: 60, channels: 3, background: '#26a' } }).png().toBuffer());
        await page.locator('.status.offline').waitFor();
        await context.setOffline(false);
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ attributes }) => attributes.alt)).to.equal([undefined, 'cat', 'dog']));
        expect(await page.locator('.upload').count()).to.equal(0);
    });

    it('makes a page for what is added when there is none', async () => {
        const made = await make(['Old']);
        const page = await open(made.owner, made.id);
        await page.getByRole('button', { name: 'Delete page' }).click();
        await page.locator('.stage').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Text', exact: true }).click();
        await write(page, 'New');
        await saved(page);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['New']));
    });

    it('takes a number digit by digit, also one that begins with less than the least, or with a minus', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        await thing(page, 'One').click();
        await page.locator('.numbers summary').click();
        for (const [label, first, typed, style, value] of [['Size of letters', 'Control+a', '36', 'fontSize', 36], ['Turn (degrees)', 'Control+a', '-45', 'rotate', -45], ['Size of letters', 'Delete', '150', 'fontSize', 150]] as const) {
            const field = page.getByLabel(label);
            await field.click();
            await page.keyboard.press('Control+a');
            await page.keyboard.press(first);
            await page.keyboard.type(typed, { delay: 50 });
            expect(await field.inputValue()).to.equal(typed);
            await saved(page);
            await expectSoon(async () => expect((await onlyOf(made)).styles[style]).to.equal(value));
        }

        // What is not taken is not shown any more once the field is left.
        await page.getByLabel('Size of letters').fill('900');
        await page.getByLabel('Top').focus();
        expect(await page.getByLabel('Size of letters').inputValue()).to.equal('300');
    });

    it('keeps the pixels of pixel art: in the file, when it is made larger, in the player, and not those of a photo', async () => {
        const checked = (side: number): Promise<Buffer> => sharp(Buffer.from(Array.from({ length: side * side }, (_one, n) => (Math.floor(n / side) + n) % 2 * 255)), { raw: { width: side, height: side, channels: 1 } }).png().toBuffer();
        const files = [await checked(8), await checked(100), await noise(30_000)];
        const made = await make();
        const page = await open(made.owner, made.id);
        for (const [n, buffer] of files.entries()) {
            await page.locator('.tool.file input').setInputFiles({ name: `${n}.png`, mimeType: 'image/png', buffer });
            await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.length).to.equal(n + 1));
        }

        const elements = (await pagesOf(made))[0]?.elements ?? [];
        expect(elements.map(({ attributes, styles: { width, imageRendering } }) => [attributes.src, width, imageRendering ?? 'smooth'])).to.equal([[referenceTo(files[0] ?? none), 8, 'pixelated'], [referenceTo(files[1] ?? none), 100, 'pixelated'], [referenceTo(files[2] ?? none), 100, 'smooth']]);

        // The handle of what was added last lies over it.
        await page.keyboard.press('Escape');
        await thing(page, '0').click();
        await page.keyboard.press('Control+]');
        await page.keyboard.press('Control+]');
        await drag(page, await middleOf(page.locator('.handle.se')), 150, 150);
        await saved(page);
        const shareOfGrey = async (where: Page): Promise<number> => {
            const image = where.locator('.stage [alt="0"]');
            expect(await image.evaluate((node) => node.clientWidth)).to.be.above(100);
            const grey = await sharp(await image.screenshot({ animations: 'disabled' })).extractChannel(0).raw().toBuffer();
            return grey.filter((value) => value > 40 && value < 215).length / grey.length;
        };

        await page.locator('.panel').getByRole('button', { name: 'Close' }).click();
        expect(await shareOfGrey(page)).to.be.below(0.06);
        await page.goto(`${editing.test.url}/p/${made.id}`);
        await page.locator('[alt="0"]').waitFor();
        expect(await shareOfGrey(page)).to.be.below(0.06);

        await page.goto(`${editing.test.url}/edit/${made.id}`);
        await thing(page, '0').click();
        await page.getByRole('button', { name: 'Sharp pixels', pressed: true }).click();
        await page.getByRole('button', { name: 'Sharp pixels', pressed: false }).waitFor();
        await saved(page);
        await page.locator('.panel').getByRole('button', { name: 'Close' }).click();
        expect(await shareOfGrey(page)).to.be.above(0.2);
    });

    it('turns by a handle, colours by a swatch, and lets go by a click beside the page', async () => {
        const made = await make();
        await put(made, { type: 'shape', attributes: { shape: 'rectangle', alt: 'Box' }, styles: { left: 100, top: 200, width: 100, height: 60, backgroundColor: '#f2a65a' } });
        const page = await open(made.owner, made.id);
        await thing(page, 'Box').click();
        const [handle, box] = [await middleOf(page.locator('.handle.turn')), await middleOf(thing(page, 'Box'))];
        // A quarter turn, nearly.
        await drag(page, handle, box.x + (box.y - handle.y) - handle.x, box.y - 4 - handle.y);
        await saved(page);
        await expectSoon(async () => expect((await onlyOf(made)).styles).to.include({ rotate: 90, left: 100, top: 200, width: 100, height: 60 }));
        await page.getByRole('button', { name: 'Background: Blue', exact: true }).click();
        await saved(page);
        await expectSoon(async () => expect(String((await onlyOf(made)).styles.backgroundColor)).to.equal('#1c5fc4'));
        const desk = await page.locator('.desk').boundingBox();
        await page.mouse.click((desk?.x ?? 0) + 6, (desk?.y ?? 0) + 6);
        await page.locator('.frame').waitFor({ state: 'detached' });
        expect(await page.getByRole('button', { name: 'Text', exact: true }).isVisible()).to.be.true();
    });

    it('records a sound, and keeps the tools on a phone while something is chosen', async () => {
        const made = await make(['One']);
        const context = await editing.windowOf(made.owner, phone);
        await context.addInitScript(`navigator.mediaDevices.getUserMedia = async () => {
            const audio = new AudioContext();
            const [tone, out] = [audio.createOscillator(), audio.createMediaStreamDestination()];
            tone.connect(out);
            tone.start();
            return out.stream;
        };`);
        const page = await editing.show(context, made.id);
        await thing(page, 'One').tap();
        await page.locator('.chosen-bar').waitFor();
        await page.getByRole('button', { name: 'Sound', exact: true }).tap();
        await page.getByRole('button', { name: 'Record', exact: true }).tap();
        await page.getByRole('button', { name: /^Stop 0:01/ }).tap();
        await thing(page, 'My recording').waitFor();
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ type, attributes: { alt } }) => [type, alt])).to.equal([['text', undefined], ['sound', 'My recording']]));
        const policy = (await editing.test.call('GET', `/edit/${made.id}`, undefined, {})).headers['permissions-policy'];
        expect(policy).to.equal('camera=(), microphone=(self), geolocation=()');
    });

    it('sizes and turns a picture by two fingers', async () => {
        const made = await withPhoto({ left: 80, top: 150, width: 160, height: 120 });
        const page = await open(made.owner, made.id, phone);
        await thing(page, 'Cat').tap();
        const { x, y } = await middleOf(thing(page, 'Cat'));
        const hand = await page.context().newCDPSession(page);
        const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: (readonly [right: number, down: number])[]): Promise<void> => {
            await hand.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([right, down], id) => ({ x: x + right, y: y + down, id })) });
        };

        await touch('touchStart', [-30, 0]);
        await touch('touchStart', [-30, 0], [30, 0]);
        for (let step = 1; step <= 6; ++step) {
            await touch('touchMove', [-30, -5 * step], [30, 5 * step]);
        }

        await touch('touchEnd');
        await saved(page);
        await expectSoon(async () => {
            const { styles } = await onlyOf(made);
            expect(styles.rotate).to.equal(45);
            expect(Number(styles.width)).to.be.about(160 * Math.SQRT2, 3);
            expect(Number(styles.height)).to.be.about(120 * Math.SQRT2, 3);
            // Its middle stays where it was.
            expect(Number(styles.left) + Number(styles.width) / 2).to.be.about(160, 2);
        });
    });

    it('keeps a picture that fills the page where it is', async () => {
        const made = await withPhoto();
        const page = await open(made.owner, made.id);
        await thing(page, 'Cat').click();
        await page.getByRole('button', { name: 'Fill the page' }).click();
        await saved(page);
        await expectSoon(async () => expect((await onlyOf(made)).styles).to.include({ left: 0, top: 0, width: 320, height: 480 }));
        await drag(page, await middleOf(thing(page, 'Cat')), 60, 60);
        await page.getByRole('button', { name: 'Text', exact: true }).click();
        await page.keyboard.type('Readable');
        await saved(page);
        await expectSoon(async () => {
            const [cat, text] = (await pagesOf(made))[0]?.elements ?? [];
            expect(cat?.styles).to.include({ left: 0, top: 0 });
            expect(String(text?.styles.backgroundColor)).to.equal('#ffffff');
        });
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await thing(page, 'Cat').focus();
        await page.keyboard.press('Space');
        await page.getByRole('button', { name: 'Lock' }).click();
        await saved(page);
        await thing(page, 'Cat').focus();
        await page.keyboard.press('ArrowRight');
        await saved(page);
        await expectSoon(async () => expect((await onlyOf(made)).styles.left).to.equal(1));
    });

    it('puts new things in the middle, over nothing else, readable and whole', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        await page.getByLabel('Background', { exact: true }).fill('#10243f');
        for (const names of [['Text'], ['Button', 'Go to a page'], ['Button', 'Show something']]) {
            for (const name of names) {
                await page.getByRole('button', { name, exact: true }).click();
            }

            await page.keyboard.press('Escape');
        }

        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.length).to.equal(3));
        const [text, link, button] = (await pagesOf(made))[0]?.elements ?? [];
        expect(Number(text?.styles.top)).to.be.about(226, 20);
        expect(String(text?.styles.color)).to.equal('#ffffff');
        expect(link?.attributes).to.equal({ text: 'Go to a page' });
        const tops = [text, link, button].map((one) => Number(one?.styles.top)).sort((one, other) => one - other);
        expect(Math.min(Number(tops[1]) - Number(tops[0]), Number(tops[2]) - Number(tops[1]))).to.be.above(25);

        const bytes = await picture('png', { width: 900, height: 700 });
        await page.evaluate(`((bytes) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'corner.png', { type: 'image/png' }));
            const stage = document.querySelector('.stage');
            const { right, bottom } = stage.getBoundingClientRect();
            stage.dispatchEvent(new DragEvent('drop', { dataTransfer: data, clientX: right - 5, clientY: bottom - 5, bubbles: true, cancelable: true }));
        })(${JSON.stringify([...bytes])})`);
        await expectSoon(async () => {
            const { left, top, width, height } = (await pagesOf(made))[0]?.elements[3]?.styles ?? {};
            expect(Number(left) + Number(width)).to.equal(320);
            expect(Number(top) + Number(height)).to.equal(480);
        });
    });

    it('edits a text where it stands, and leads a link to the next page', async () => {
        const made = await make(['Double']);
        const page = await open(made.owner, made.id);
        await page.getByRole('button', { name: 'Add page', exact: true }).click();
        await page.locator('.page-button').first().click();
        await thing(page, 'Double').dblclick();
        const field = page.locator('.inline-text textarea');
        await field.waitFor();
        await page.keyboard.press('Control+a');
        await page.keyboard.type('Written here');
        const [over, under] = [await middleOf(field), await middleOf(page.locator('.stage [data-element]'))];
        expect(over.x).to.be.about(under.x, 3);
        expect(over.y).to.be.about(under.y, 3);
        await page.keyboard.press('Escape');
        expect(await field.count()).to.equal(0);
        expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('Written here');
        await page.getByRole('button', { name: 'Button', exact: true }).click();
        await page.getByRole('button', { name: 'Go to a page', exact: true }).click();
        await page.keyboard.press('Escape');
        await saved(page);
        await expectSoon(async () => {
            const [one, two] = await pagesOf(made);
            expect(one?.elements[1]?.attributes).to.include({ text: 'Next page', targetPageId: two?.id });
        });
    });

    it('shows all pages with numbers, and moves them by mouse and keys', async () => {
        const made = await make(['First']);
        const page = await open(made.owner, made.id);
        for (let count = 0; count < 9; ++count) {
            await page.getByRole('button', { name: 'Add page', exact: true }).click();
        }

        await saved(page);
        const buttons = page.locator('.page-button');
        expect(await buttons.evaluateAll((all) => all.map((one) => one.ariaLabel))).to.equal(['Page 1, 1 thing on it', ...Array.from({ length: 9 }, (_, index) => `Page ${index + 2}, 0 things on it`)]);
        const strip = await page.locator('.pages').boundingBox();
        const rights = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
        expect(Math.max(...rights)).to.be.at.most((strip?.x ?? 0) + (strip?.width ?? 0));
        await buttons.first().click();
        const [from, to] = [await middleOf(buttons.nth(0)), await middleOf(buttons.nth(2))];
        await drag(page, from, to.x - from.x, to.y - from.y);
        await saved(page);
        const placeOf = async (): Promise<number | undefined> => (await pagesOf(made)).find(({ id }) => id === made.page)?.x;
        await expectSoon(async () => expect(await placeOf()).to.equal(2));
        await page.getByRole('button', { name: 'Page 3, 1 thing on it' }).focus();
        await page.keyboard.press('Alt+ArrowLeft');
        await saved(page);
        await expectSoon(async () => expect(await placeOf()).to.equal(1));
        expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('Page 2, 1 thing on it');
    });

    it('undoes and redoes without a connection, and knows it afterwards', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        await thing(page, 'One').focus();
        await page.keyboard.press('Shift+ArrowRight');
        await saved(page);
        await page.context().setOffline(true);
        await page.keyboard.press('Shift+ArrowDown');
        await page.locator('.status.offline').waitFor();
        await page.keyboard.press('Delete');
        await page.keyboard.press('Control+z');
        await thing(page, 'One').waitFor();
        await page.keyboard.press('Control+z');
        await page.keyboard.press('Control+z');
        // There is no more to take back that waits.
        await told(page, 'There is no connection.');
        await page.keyboard.press('Control+Shift+z');
        await told(page, 'Done again.');
        await page.context().setOffline(false);
        await saved(page);
        await expectSoon(async () => expect((await onlyOf(made)).styles).to.include({ left: 30, top: 30 }));
        await page.keyboard.press('Control+z');
        await told(page, 'Undone.');
        await expectSoon(async () => expect((await onlyOf(made)).styles).to.include({ left: 30, top: 20 }));
    });

    it('shows the headings of a panel whole in a low window', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id, { width: 1280, height: 480 });
        await page.getByRole('heading', { name: 'This project' }).waitFor();
        expect(await page.locator('.panel h2').evaluateAll((all) => all.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length)).to.equal(0);
    });

    it('keeps the keys inside of a dialog, and closes menus', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        await page.locator('.menu summary').click();
        await page.keyboard.press('Escape');
        await page.locator('.menu[open]').waitFor({ state: 'detached' });
        await page.locator('.menu summary').click();
        await thing(page, 'One').click();
        await page.locator('.menu[open]').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Shape', exact: true }).click();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Circle' }).waitFor({ state: 'detached' });
        await thing(page, 'One').click();
        await page.getByRole('button', { name: 'History' }).click();
        await page.getByRole('dialog').waitFor();
        await page.evaluate('document.activeElement.blur()');
        await page.keyboard.press('Delete');
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await thing(page, 'One').waitFor();
    });

    it('does not let the header of a phone jump', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id, phone);
        const height = async (): Promise<number> => (await middleOf(page.locator('.editor-top'))).height;
        const high = await height();
        await page.context().setOffline(true);
        for (let count = 0; count < 3; ++count) {
            await thing(page, 'One').focus();
            await page.keyboard.press('ArrowRight');
            await page.locator('.status.offline').waitFor();
            expect(await height()).to.equal(high);
        }

        await page.context().setOffline(false);
        await saved(page);
        expect(await height()).to.equal(high);
    });
});
