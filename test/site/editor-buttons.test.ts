import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { Editing, expectSoon, middleOf, phone, saved, thing, tool, write } from '../support/editing';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const oneSecond = Buffer.concat([Buffer.from('RIFF'), Buffer.from([0x64, 0x1f, 0, 0]), Buffer.from('WAVEfmt '), Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]), Buffer.from('data'), Buffer.from([0x40, 0x1f, 0, 0]), Buffer.alloc(8000, 128)]);

describe('the tool for buttons', () => {
    const editing = new Editing();
    const { open, make, onlyOf, pagesOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    it('makes a button that leads to a page, then shows something, then plays a sound, with the same words and place', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        await tool(page, 'Add page');
        await page.locator('.page-button').first().click();
        await tool(page, 'Button');
        await tool(page, 'Go to a page');
        await write(page, 'Press here');
        await page.keyboard.press('Escape');
        await saved(page);
        const [one, two] = await pagesOf(made);
        expect(one?.elements.map(({ type }) => type)).to.equal(['link']);
        const { attributes, styles: { left, top } } = await onlyOf(made);
        expect(attributes).to.equal({ text: 'Press here', targetPageId: two?.id, targetProjectId: made.id, targetUserId: made.owner.id });

        const does = page.getByLabel('What it does when it is pressed');
        await does.selectOption('Show something');
        await page.getByLabel('What it shows when it is pressed').fill('A secret');
        await saved(page);
        await expectSoon(async () => expect(await onlyOf(made)).to.include({ type: 'button', attributes: { text: 'Press here', reveals: 'A secret' } }));

        await does.selectOption('Play a sound');
        await page.locator('.panel input[type=file]').setInputFiles({ name: 'meow.wav', mimeType: 'audio/wav', buffer: oneSecond });
        await saved(page);
        await expectSoon(async () => expect(await onlyOf(made)).to.include({ type: 'sound' }));
        const sound = await onlyOf(made);
        expect(sound.attributes.alt).to.equal('Press here');
        expect(sound.styles).to.include({ left, top });

        await page.goto(`${editing.test.url}/p/${made.id}`);
        await page.locator('audio[aria-label="Press here"]').waitFor();
    });

    it('changes what a button does back by one undo, and offers the choice to fingers on a phone', async () => {
        const made = await make();
        const page = await open(made.owner, made.id, phone);
        await page.getByRole('button', { name: 'Button', exact: true }).tap();
        await page.getByRole('button', { name: 'Show something', exact: true }).tap();
        await write(page, 'Ask');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Edit', exact: true }).tap();
        await page.getByLabel('What it does when it is pressed').selectOption('Go to a page');
        await saved(page);
        await expectSoon(async () => expect(await onlyOf(made)).to.include({ type: 'link', attributes: { text: 'Ask' } }));
        await page.keyboard.press('Control+z');
        await saved(page);
        await expectSoon(async () => expect(await onlyOf(made)).to.include({ type: 'button', attributes: { text: 'Ask', reveals: '' } }));
        await thing(page, 'Ask').waitFor();
    });

    for (const viewport of [phone, { width: 820, height: 1180 }]) {
        it(`offers all choices in sight, and none over another tool, at ${viewport.width} px`, async () => {
            const made = await make();
            const page = await open(made.owner, made.id, viewport, { hasTouch: true });
            for (const [name, count] of [['Sound', 2], ['Shape', 3], ['Button', 3]] as const) {
                const one = page.locator('.tools').getByRole('button', { name, exact: true });
                await one.tap();
                const choices = page.locator('.shapes .tool');
                expect(await choices.count(), name).to.equal(count);
                const boxes = await Promise.all((await choices.all()).map((choice) => middleOf(choice)));
                // What is in the middle of each is that choice.
                for (const [at, { x, y }] of boxes.entries()) {
                    expect(await choices.nth(at).evaluate((node, [left, top]) => node.contains(document.elementFromPoint(Number(left), Number(top))), [x, y]), `${name} ${at}`).to.be.true();
                }

                const { y } = await middleOf(one);
                expect(boxes.every((box) => box.y + box.height / 2 < y), name).to.be.true();
                await one.tap();
                await page.locator('.shapes').waitFor({ state: 'detached' });
            }
        });
    }
});
