import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Page } from 'playwright-core';

import { Editing, expectSoon, middleOf, saved, thing, told } from '../support/editing';
import { picture } from '../support/files';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('what people type, paste and drop in the editor', { timeout: 300_000 }, () => {
    const editing = new Editing();
    const { open, make, put, pagesOf, onlyOf, textsOf } = editing;

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    const edit = async (page: Page, name: string): Promise<void> => {
        await thing(page, name).dblclick();
        await page.locator('.inline-text textarea:focus').waitFor();
    };

    it('undoes a word at a time, however slowly it is typed', async () => {
        const made = await make(['Start']);
        const page = await open(made.owner, made.id);
        await edit(page, 'Start');
        for (const part of ['Mia', ' o', 'n', 'ce']) {
            await page.keyboard.type(part);
            await saved(page);
        }

        await page.keyboard.press('Escape');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Mia once']));
        for (const [keys, text] of [['Control+z', 'Mia'], ['Control+z', 'Start'], ['Control+Shift+z', 'Mia'], ['Control+Shift+z', 'Mia once']] as const) {
            await page.keyboard.press(keys);
            await thing(page, text).waitFor();
            await expectSoon(async () => expect(await textsOf(made)).to.equal([text]));
        }

        // The same while it waits for a connection.
        await page.context().setOffline(true);
        await edit(page, 'Mia once');
        await page.keyboard.press('Control+End');
        for (const part of [' up', 'on']) {
            await page.keyboard.type(part);
            await page.locator('.status.offline').waitFor();
            await page.waitForTimeout(700);
        }

        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+z');
        await thing(page, 'Mia once').waitFor();
        await page.context().setOffline(false);
        await saved(page);
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Mia once']));
    });

    it('takes no more of a description than the service does', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        await page.getByLabel('Description, with #tags').focus();
        await page.keyboard.insertText('words '.repeat(250));
        await page.keyboard.press('Tab');
        await saved(page);
        const { body } = await editing.test.call('GET', `/users/${made.owner.id}/projects/${made.id}`, undefined, { token: made.owner.token });
        expect(body.project.description).to.equal('words '.repeat(167).slice(0, 1000));
    });

    it('keeps some of what is drawn on the page, of things that are turned or round and of few letters', async () => {
        for (const [element, name, right, down] of [
            [{ type: 'shape', attributes: { shape: 'rectangle', alt: 'Square' }, styles: { left: 100, top: 200, width: 100, height: 100, rotate: 45, backgroundColor: '#f00' } }, 'Square', 900, -900],
            [{ type: 'shape', attributes: { shape: 'ellipse', alt: 'Ball' }, styles: { left: 100, top: 200, width: 100, height: 100, backgroundColor: '#f00' } }, 'Ball', -900, 900],
            [{ type: 'text', attributes: { text: 'Hi' }, styles: { left: 20, top: 200, width: 280, fontSize: 20, color: '#ff0000' } }, 'Hi', -900, 0]
        ] as const) {
            const made = await make();
            await put(made, element);
            const page = await open(made.owner, made.id);
            const { x, y } = await middleOf(thing(page, name));
            await page.mouse.move(x, y);
            await page.mouse.down();
            await page.mouse.move(x + right, y + down, { steps: 6 });
            await page.mouse.up();
            await page.keyboard.press('Escape');
            await page.mouse.move(1, 1);
            await saved(page);
            const shot = await page.locator('.stage').screenshot();
            const red = await page.evaluate(`(async () => {
                const image = new Image();
                image.src = 'data:image/png;base64,${shot.toString('base64')}';
                await image.decode();
                const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
                context.drawImage(image, 0, 0);
                const { data } = context.getImageData(0, 0, image.width, image.height);
                return data.filter((_, index) => index % 4 === 0 && data[index] > 200 && data[index + 1] < 80 && data[index + 2] < 80).length;
            })()`);
            expect(Number(red), name).to.be.above(20);
            await page.close();
        }
    });

    it('shows what is written although the browser translates, and keeps composing after Escape', async () => {
        const made = await make(['Hello']);
        const page = await open(made.owner, made.id);
        await page.evaluate(`(() => {
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const found = [];
            while (walker.nextNode()) {
                const { currentNode } = walker;
                if (currentNode.data.trim() !== '' && currentNode.parentElement.closest('[translate="no"], script, style') === null) {
                    found.push(currentNode);
                }
            }

            found.forEach((text) => {
                const [outer, inner] = [document.createElement('font'), document.createElement('font')];
                inner.textContent = 'Hallo';
                outer.append(inner);
                text.replaceWith(outer);
            });
        })()`);
        await edit(page, 'Hello');
        const session = await page.context().newCDPSession(page);
        await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
        await page.evaluate('document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", keyCode: 229, isComposing: true, bubbles: true, cancelable: true }))');
        await page.locator('.inline-text textarea:focus').waitFor();
        await session.send('Input.insertText', { text: '日本' });
        await page.keyboard.press('Escape');
        await thing(page, '日本').waitFor();
        expect(await page.locator('.stage [data-element]').innerText()).to.equal('日本');
        expect(await page.locator('.pages [data-element]').innerText()).to.equal('日本');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['日本']));
    });

    it('undoes and duplicates by keys of other layouts, and cuts and pastes more than the storage holds', async () => {
        const made = await make(['One']);
        const page = await open(made.owner, made.id);
        const press = async (key: string, code: string): Promise<void> => {
            await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key, code, ctrlKey: true, bubbles: true, cancelable: true })}))`);
        };

        await thing(page, 'One').focus();
        await page.keyboard.press('Space');
        await press('в', 'KeyD');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['One', 'One']));
        await press('ئ', 'KeyZ');
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['One']));
        for (const letter of ['a', 'b', 'c']) {
            await put(made, { type: 'image', attributes: { src: `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><desc>${letter.repeat(1_900_000)}</desc></svg>`, alt: letter }, styles: { left: 10, top: 200, width: 20 } });
        }

        await thing(page, 'c').waitFor();
        await saved(page);
        await page.evaluate('localStorage.setItem("pagewright clipboard", JSON.stringify([{ type: "text", attributes: { text: "Older" }, styles: {} }]))');
        await page.keyboard.press('Control+a');
        await page.keyboard.press('Control+x');
        await thing(page, 'c').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Paste', exact: true }).click();
        await thing(page, 'c').waitFor();
        await saved(page);
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ attributes: { text, alt } }) => text ?? alt)).to.equal(['One', 'a', 'b', 'c']));
    });

    it('makes an address whole while it is typed, or says what lacks', async () => {
        const made = await make();
        await put(made, { type: 'link', attributes: { text: 'There', href: 'https://' }, styles: { left: 20, top: 20, width: 200 } });
        const page = await open(made.owner, made.id);
        await thing(page, 'There').click();
        const field = page.getByLabel('Address');
        const problem = page.locator('#address-problem');
        for (const [typed, href, shown] of [['www.example.com', 'https://www.example.com/', ''], ['zoe@example.org', 'mailto:zoe@example.org', ''], ['javascript:alert(1)', 'javascript:alert(1)', 'Only websites and e-mail addresses can be linked.'], ['my cat', 'my cat', 'No address yet. Write it like www.example.com'], ['youtu.be/x', 'https://youtu.be/x', '']] as const) {
            await field.fill(typed);
            await expectSoon(async () => expect(await problem.innerText()).to.equal(shown));
            await field.blur();
            expect(await field.inputValue()).to.equal(href);
            await saved(page);
            await expectSoon(async () => expect((await onlyOf(made)).attributes.href).to.equal(href));
        }
    });

    it('pastes the words of cells rather than their picture, and puts a picture on the page that is dropped beside it', async () => {
        const made = await make();
        const page = await open(made.owner, made.id);
        const bytes = JSON.stringify([...await picture()]);
        const paste = async (data: Record<string, string>): Promise<void> => {
            await page.evaluate(`(() => {
                const data = new DataTransfer();
                data.items.add(new File([new Uint8Array(${bytes})], 'image.png', { type: 'image/png' }));
                Object.entries(${JSON.stringify(data)}).forEach(([type, text]) => data.setData(type, text));
                document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
            })()`);
        };

        await paste({ 'text/plain': 'Apples\t12\nPears\t7', 'text/html': '<table><tr><td>Apples</td><td>12</td></tr></table>' });
        await expectSoon(async () => expect(await textsOf(made)).to.equal(['Apples\t12\nPears\t7']));
        await paste({ 'text/html': '<img src="https://example.com/a.png">' });
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ type }) => type)).to.equal(['text', 'image']));
        const prevented = await page.evaluate(`(() => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(${bytes})], 'cat.png', { type: 'image/png' }));
            const tools = document.querySelector('.tools');
            return ['dragover', 'drop'].map((type) => !tools.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true })));
        })()`);
        expect(prevented).to.equal([true, true]);
        await told(page, 'Added: cat.png.');
        await expectSoon(async () => expect((await pagesOf(made))[0]?.elements.map(({ attributes: { alt } }) => alt)).to.equal([undefined, 'image', 'cat']));
    });

    it('shows each line of a text in its own direction, in the field, on the page and in the player', async () => {
        const made = await make(['مرحبا!\nHello, world!']);
        const page = await open(made.owner, made.id);
        /** Whether the last sign of the second line is at its right end. */
        const isRight = async (selector: string): Promise<unknown> => await page.evaluate(`(() => {
            const node = [...document.querySelectorAll(${JSON.stringify(selector)})].find(({ textContent }) => textContent.includes('Hello'));
            const text = document.createTreeWalker(node, NodeFilter.SHOW_TEXT).nextNode();
            const at = (place) => {
                const range = document.createRange();
                range.setStart(text, place);
                range.setEnd(text, place + 1);
                return range.getBoundingClientRect().left;
            };
            return at(text.data.length - 1) > at(text.data.indexOf('H'));
        })()`);
        expect(await isRight('.stage [data-element]')).to.be.true();
        await page.goto(`${editing.test.url}/p/${made.id}`);
        await page.locator('[data-element]').first().waitFor();
        expect(await isRight('[data-element]')).to.be.true();
    });
});
