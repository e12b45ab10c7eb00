import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Locator, Page } from 'playwright-core';

import { Editing, desk, expectSoon, middleOf, phone, saved, thing, told } from '../support/editing';
import type { Made } from '../support/editing';
import { picture } from '../support/files';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const place = { x: -20, y: -60, scale: 1.5, angle: 0, zIndex: 1 };

/** As Webmaker's client writes a text. */
const hello = (styles: object = {}): object => ({
    type: 'text', attributes: { innerHTML: 'Hello' },
    styles: { fontFamily: 'Roboto', color: '#E06A2C', backgroundColor: 'transparent', fontSize: 35, fontStyle: 'normal', fontWeight: 'bold', textDecoration: 'none', textAlign: 'center', padding: '0 10px', ...place, ...styles }
});

describe('the editor with elements that Webmaker\'s client made', () => {
    const editing = new Editing();
    const { open, make, put, pagesOf, onlyOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const begin = async (styles: object = {}, viewport = desk): Promise<{ made: Made; page: Page; it: Locator; unit: number }> => {
        const made = await make();
        await put(made, hello(styles));
        const page = await open(made.owner, made.id, viewport);
        const unit: number = await page.evaluate('document.querySelector(".stage").clientWidth / 320');
        return { made, page, it: thing(page, 'Hello'), unit };
    };

    const drag = async (page: Page, from: { x: number; y: number }, right: number, down: number): Promise<void> => {
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x + right, from.y + down, { steps: 8 });
        await page.mouse.up();
    };

    /** Waits for what is stored, which is in the words of Webmaker alone. */
    const stored = async (made: Made, page: Page, expected: Record<string, number>, attributes: object = { innerHTML: 'Hello' }): Promise<void> => {
        await saved(page);
        await expectSoon(async () => {
            const element = await onlyOf(made);
            expect(element.attributes).to.equal(attributes);
            for (const [name, value] of Object.entries(expected)) {
                expect(Number(element.styles[name]), `${name} of ${JSON.stringify(element.styles)}`).to.be.about(value, name === 'scale' || name === 'angle' ? 0.03 : 1);
            }

            expect(Object.keys(element.styles).filter((name) => ['left', 'top', 'width', 'height', 'rotate', 'transform'].includes(name))).to.equal([]);
        });
    };

    it('moves one by mouse and arrows without a jump', async () => {
        const { made, page, it: text, unit } = await begin({ angle: 0.4 });
        const from = await middleOf(text);
        await page.mouse.move(from.x, from.y);
        await page.mouse.down();
        await page.mouse.move(from.x + 30 * unit, from.y + 20 * unit, { steps: 5 });
        const during = await middleOf(text);
        await page.mouse.move(from.x + 60 * unit, from.y + 40 * unit, { steps: 5 });
        await page.mouse.up();
        const end = await middleOf(text);
        expect([during.x - from.x, during.y - from.y].map((pixels) => Math.round(pixels / unit) + 0)).to.equal([30, 20]);
        expect([end.x - from.x, end.y - from.y, end.width - from.width].map((pixels) => Math.round(pixels / unit) + 0)).to.equal([60, 40, 0]);
        await stored(made, page, { ...place, x: 40, y: -20, angle: 0.4 });
        await page.keyboard.press('Shift+ArrowLeft');
        await page.keyboard.press('ArrowDown');
        await stored(made, page, { ...place, x: 30, y: -19, angle: 0.4 });
        const now = await middleOf(text);
        expect([now.x - from.x, now.y - from.y].map((pixels) => Math.round(pixels / unit) + 0)).to.equal([50, 41]);
    });

    it('sizes one by its corners and by keys: it keeps its proportions, and the other corner stays', async () => {
        const { made, page, it: text, unit } = await begin();
        await text.click();
        const from = await text.boundingBox();
        const frame = await page.locator('.frame').boundingBox();
        expect([from?.x, from?.width].map((pixels) => Math.round((pixels ?? 0) / 4))).to.equal([frame?.x, frame?.width].map((pixels) => Math.round((pixels ?? 0) / 4)));
        expect((await page.locator('.handle.se').boundingBox())?.width ?? 0).to.be.below(50);
        await drag(page, await middleOf(page.locator('.handle.se')), (from?.width ?? 0) / 2, 0);
        const larger = await text.boundingBox();
        expect((larger?.width ?? 0) / (from?.width ?? 1)).to.be.about(1.5, 0.05);
        expect((larger?.height ?? 0) / (from?.height ?? 1)).to.be.about(1.5, 0.05);
        expect([(larger?.x ?? 0) - (from?.x ?? 0), (larger?.y ?? 0) - (from?.y ?? 0)].map((pixels) => Math.abs(pixels) < 3)).to.equal([true, true]);
        await stored(made, page, { scale: 2.25, angle: 0 });
        await drag(page, await middleOf(page.locator('.handle.nw')), (from?.width ?? 0) / 2, (from?.height ?? 0) / 2);
        const smaller = await text.boundingBox();
        expect([(smaller?.x ?? 0) + (smaller?.width ?? 0) - (larger?.x ?? 0) - (larger?.width ?? 0), (smaller?.y ?? 0) + (smaller?.height ?? 0) - (larger?.y ?? 0) - (larger?.height ?? 0)].map((pixels) => Math.abs(pixels) < 3)).to.equal([true, true]);
        await stored(made, page, { scale: 1.5, angle: 0 });
        await text.focus();
        for (const key of ['Alt+Shift+ArrowRight', 'Alt+Shift+ArrowRight', 'Alt+Shift+ArrowLeft']) {
            await page.keyboard.press(key);
        }

        await saved(page);
        await expectSoon(async () => expect(Number((await onlyOf(made)).styles.scale)).to.be.about(1.5 * (1 + 10 * unit / (from?.width ?? 1)), 0.03));
    });

    it('shows a picture, which has no width, as large as the page is, and sizes it', async () => {
        const made = await make();
        await put(made, { type: 'image', attributes: { src: `data:image/png;base64,${(await picture('png', { width: 100, height: 80 })).toString('base64')}`, alt: 'Cat' }, styles: { ...place, x: 0, y: 0, opacity: 1, borderWidth: 0 } });
        const page = await open(made.owner, made.id);
        const unit: number = await page.evaluate('document.querySelector(".stage").clientWidth / 320');
        const cat = thing(page, 'Cat');
        const from = await middleOf(cat);
        expect([from.width, from.height].map((pixels) => Math.round(pixels / unit))).to.equal([150, 120]);
        await cat.click();
        await drag(page, await middleOf(page.locator('.handle.se')), 50 * unit, 40 * unit);
        const larger = await middleOf(cat);
        for (const [pixels, units] of [[larger.width, 200], [larger.height, 160], [larger.x - from.x, 25], [larger.y - from.y, 20]] as const) {
            expect(pixels / unit).to.be.about(units, 1.5);
        }

        await stored(made, page, { ...place, x: 25, y: 20, scale: 2 }, (await onlyOf(made)).attributes);
        await page.getByRole('button', { name: 'Fill the page' }).click();
        await saved(page);
        await expectSoon(async () => expect((await onlyOf(made)).styles).to.include({ x: 0, y: 20, scale: 6 }));
    });

    it('has the numbers of what one sees in the panel', async () => {
        const { made, page, it: text, unit } = await begin({ angle: Math.PI / 2 });
        await text.click();
        const field = (name: string): Locator => page.locator('.panel').getByLabel(name, { exact: true });
        await page.locator('.numbers summary').click();
        expect(await field('Turn (degrees)').inputValue()).to.equal('90');
        await field('Turn (degrees)').fill('0');
        await stored(made, page, { ...place, angle: 0 });
        await field('Left').fill('40');
        await field('Top').fill('100');
        await field('Width').fill('200');
        await saved(page);
        const [box, stage] = [await text.boundingBox(), await page.locator('.stage').boundingBox()];
        expect([(box?.x ?? 0) - (stage?.x ?? 0), (box?.y ?? 0) - (stage?.y ?? 0), box?.width ?? 0].map((pixels) => Math.round(pixels / unit) + 0)).to.equal([40, 100, 200]);
        await stored(made, page, { x: -20, angle: 0 });
        await field('Size of letters').fill('20');
        await page.getByRole('button', { name: 'Lock', exact: true }).click();
        await stored(made, page, { fontSize: 20 }, { innerHTML: 'Hello', locked: true });
    });

    it('edits its text where it stands, as Webmaker\'s client shows it', async () => {
        const { made, page, it: text } = await begin({ angle: -0.2 });
        await text.dblclick();
        const [field, shown] = [await middleOf(page.locator('.inline-text textarea')), await middleOf(page.locator('.stage [data-element]'))];
        expect([Math.abs(field.x - shown.x) < 4, Math.abs(field.y - shown.y) < 4]).to.equal([true, true]);
        await page.keyboard.type('Fish & chips\n');
        await page.keyboard.type('1 < 2');
        await page.keyboard.press('Escape');
        await stored(made, page, { ...place, angle: -0.2 }, { innerHTML: 'Fish & chips\n1 < 2' });
        await thing(page, 'Fish & chips\n1 < 2').dblclick();
        await page.keyboard.type('<b>&amp;');
        await page.keyboard.press('Escape');
        await stored(made, page, { ...place, angle: -0.2 }, { innerHTML: '&#60;b&#62;&#38;amp;' });
        await thing(page, '<b>&amp;').waitFor();
        await page.keyboard.press('Control+z');
        await told(page, /Undone/);
        await stored(made, page, { ...place, angle: -0.2 }, { innerHTML: 'Fish & chips\n1 < 2' });
    });

    it('copies, layers and removes it, and takes all of that back', async () => {
        const { made, page, it: text, unit } = await begin();
        await put(made, hello({ x: 0, y: 60, zIndex: 2 }));
        await expectSoon(async () => expect(await text.count()).to.equal(2));
        await text.first().click();
        const from = await middleOf(text.first());
        await page.keyboard.press('Control+d');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.length).to.equal(3));
        const copy = (await pagesOf(made))[0]?.elements[2];
        expect(copy?.styles).to.include({ ...place, x: -8, y: -48 });
        expect(Object.keys(copy?.styles ?? {})).to.not.include(['left', 'top']);
        const pressed = await middleOf(page.locator('.stage [aria-pressed=true]'));
        expect([pressed.x - from.x, pressed.y - from.y].map((pixels) => Math.round(pixels / unit) + 0)).to.equal([12, 12]);
        await page.keyboard.press('Control+]');
        await page.keyboard.press('Control+]');
        await saved(page);
        await expectSoon(async () => expect(Number((await pagesOf(made))[0]?.elements[2]?.styles.zIndex)).to.be.above(1));
        await page.keyboard.press('Delete');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.length).to.equal(2));
        await page.keyboard.press('Control+z');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ styles: { x, y } }) => [x, y])).to.equal([[-20, -60], [0, 60], [-8, -48]]));
        await page.keyboard.press('Control+a');
        await page.keyboard.press('Shift+ArrowRight');
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ styles: { x, y } }) => [x, y])).to.equal([[-10, -60], [10, 60], [2, -48]]));
    });

    it('sizes and turns it by two fingers', async () => {
        const { made, page, it: text, unit } = await begin({ x: 0, y: 0 }, phone);
        await text.tap();
        const { x, y } = await middleOf(text);
        const hand = await page.context().newCDPSession(page);
        const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: (readonly [right: number, down: number])[]): Promise<void> => {
            await hand.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([right, down], id) => ({ x: x + right, y: y + down, id })) });
        };

        await touch('touchStart', [-30, 0], [30, 0]);
        for (let step = 1; step <= 6; ++step) {
            const [cos, sin] = [Math.cos(step * Math.PI / 12), Math.sin(step * Math.PI / 12)].map((part) => part * (30 + 3 * step));
            await touch('touchMove', [-Number(cos), -Number(sin)], [Number(cos), Number(sin)]);
        }

        const during = await middleOf(text);
        expect([during.x - x, during.y - y].map((pixels) => Math.abs(pixels) < 4)).to.equal([true, true]);
        await touch('touchEnd');
        await stored(made, page, { x: 0, y: 0, scale: 2.4, angle: Math.PI / 2, fontSize: 35 });
        const end = await middleOf(text);
        expect([end.x - during.x, end.y - during.y, end.width - during.width, end.height - during.height].map((pixels) => Math.abs(pixels) < 4)).to.equal([true, true, true, true]);
        await touch('touchStart', [0, 0]);
        await touch('touchMove', [20 * unit, 0]);
        await touch('touchMove', [40 * unit, 30 * unit]);
        await touch('touchEnd');
        await stored(made, page, { x: 40, y: 30, scale: 2.4, angle: Math.PI / 2 });
    });
});
