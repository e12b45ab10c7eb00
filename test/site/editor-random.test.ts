import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { BrowserContext, Page } from 'playwright-core';

import { Dice } from '../support/dice';
import { Editing, expectSoon } from '../support/editing';
import type { Made } from '../support/editing';
import { noise } from '../support/files';
import { unzip } from '../support/unzip';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Random steps of each of the two: `EDITOR_STEPS=200` in `.ci/nightly`. */
const STEPS = Number(process.env.EDITOR_STEPS ?? 30);
const SEED = Number(process.env.EDITOR_SEED ?? Date.now() % 100_000);

/** Milliseconds that a file is on its way at least. */
const SLOW = 1500;

/** Somebody in the editor, who decides about no conflict. */
class Person {
    readonly name: string;
    readonly context: BrowserContext;
    readonly page: Page;
    /** what was written and has been *Saved* */
    readonly kept: string[] = [];
    isOffline = false;
    readonly #dice: Dice;
    #written: string[] = [];
    #count = 0;

    constructor(name: string, context: BrowserContext, page: Page, dice: Dice) {
        this.name = name;
        this.context = context;
        this.page = page;
        this.#dice = dice;
    }

    /** A word that is nowhere else. */
    #word(): string {
        const word = `${this.name}${++this.#count}x`;
        this.#written.push(word);
        return word;
    }

    /** Words that are about to go before they were saved, as without a network, need not be there in the end. */
    #giveUp(text: string): void {
        this.#written = this.#written.filter((word) => !text.includes(word));
    }

    async #chooseSomething(): Promise<boolean> {
        const all = this.page.locator('.stage [data-element]');
        const count = await all.count();
        if (count === 0) {
            return false;
        }

        await this.page.keyboard.press('Escape');
        // The other one may have removed it.
        return await all.nth(this.#dice.below(count)).focus({ timeout: 2000 }).then(() => true, () => false);
    }

    readonly #steps = {
        text: async (): Promise<void> => {
            // A thing without words is called Text, too.
            await this.page.locator('.tools').getByRole('button', { name: 'Text', exact: true }).click();
            await this.page.locator('.inline-text textarea:focus').waitFor();
            await this.page.keyboard.type(this.#word());
            await this.page.keyboard.press('Escape');
        },
        rewrite: async (): Promise<void> => {
            if (await this.#chooseSomething()) {
                await this.page.keyboard.press('Enter');
                const field = this.page.locator('.inline-text textarea:focus');
                if (await field.waitFor({ timeout: 1000 }).then(() => true, () => false)) {
                    // Replaced whole, so that two who do so at the same time are in conflict, or gone on with.
                    const isReplaced = this.#dice.chance(0.5);
                    this.#giveUp(isReplaced ? await field.inputValue() : '');
                    await this.page.keyboard.press(isReplaced ? 'Control+a' : 'End');
                    await this.page.keyboard.type(` ${this.#word()} `);
                }

                await this.page.keyboard.press('Escape');
            }
        },
        move: async (): Promise<void> => {
            if (await this.#chooseSomething()) {
                await this.page.keyboard.press('Space');
                await this.page.keyboard.press(this.#dice.pick(['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowDown']) ?? 'ArrowUp');
                await this.page.keyboard.press('Escape');
            }
        },
        remove: async (): Promise<void> => {
            if (await this.#chooseSomething()) {
                await this.page.keyboard.press('Space');
                this.#giveUp(await this.page.locator('.stage [data-element]').allTextContents().then((all) => all.join(' ')));
                await this.page.keyboard.press('Delete');
            }
        },
        undo: async (): Promise<void> => {
            this.#giveUp(this.#written.join(' '));
            await this.page.keyboard.press('Control+z');
        },
        picture: async (): Promise<void> => {
            await this.page.locator('.tool.file input').setInputFiles({ name: `${this.name}${++this.#count}.png`, mimeType: 'image/png', buffer: await noise(3000) });
        },
        page: async (): Promise<void> => {
            await (this.#dice.chance(0.3) ? this.page.getByRole('button', { name: 'Add page', exact: true }).click() : this.page.locator('.page-button').nth(this.#dice.below(await this.page.locator('.page-button').count())).click());
        },
        network: async (): Promise<void> => {
            this.isOffline = !this.isOffline;
            await this.context.setOffline(this.isOffline);
        },
        reload: async (): Promise<void> => {
            // Whoever leaves while something is sent is asked. Without a network the page comes from the service worker.
            if (this.isOffline && !await this.page.evaluate<boolean>('navigator.serviceWorker.controller !== null')) {
                return;
            }

            await this.page.reload();
            await this.page.locator('.stage').waitFor();
        }
    };

    /** Does one thing, and notes what is *Saved* then. @returns what it was */
    async step(): Promise<string> {
        const name = this.#dice.weighted({ text: 6, rewrite: 8, move: 5, remove: 1, undo: 2, picture: 2, page: 2, network: 2, reload: 1 });
        await this.#steps[name]();
        await this.page.waitForTimeout(this.#dice.between(50, 900));
        await this.note();
        return name;
    }

    /** Notes what was written until now, if the editor says that it is saved. */
    async note(): Promise<void> {
        const written = [...this.#written];
        if (await this.page.locator('.status.saved').count() > 0) {
            this.kept.push(...written);
            this.#written = this.#written.slice(written.length);
        }
    }
}

describe('two people who do anything', () => {
    const editing = new Editing();

    before(editing.start);
    after(editing.stop);
    lab.afterEach(editing.closeWindows);

    /** All that the service has of a project, its history too. */
    const everything = async ({ id, owner }: Made): Promise<string> => {
        const response = await fetch(`${editing.test.url}/users/${owner.id}/projects/${id}/export?history=true`, { headers: { authorization: `token ${owner.token}` } });
        const files = await unzip(Buffer.from(await response.arrayBuffer()));
        return ['project.json', 'history.json'].map((name) => String(files.get(name))).join('\n');
    };

    /** The page that is shown, as one sees it: each thing with its text and its place, which is in hundredths of the page's width of 320. */
    const shownOn = (page: Page): Promise<string[]> => page.evaluate('[...document.querySelectorAll(".stage [data-element]")].map((one) => `${one.textContent.trim()} ${Math.round(parseFloat(one.style.left) * 3.2)} ${Math.round(parseFloat(one.style.top) * 3.2)}`).sort()');

    it(`see the same in the end, and lose nothing that was saved: ${STEPS} steps each`, { timeout: 600_000 + 10_000 * STEPS }, async () => {
        const made = await editing.make(['The cat sleeps', 'The dog runs']);
        const dice = new Dice(SEED);
        const people = await Promise.all([['ana', made.owner] as const, ['ben', await editing.join(made)] as const].map(async ([name, who]) => {
            const context = await editing.windowOf(who);
            await context.route('**/assets*', async (route) => {
                await new Promise((resolve) => {
                    setTimeout(resolve, SLOW);
                });
                await route.continue().catch(() => undefined);
            });
            const page = await editing.show(context, made.id);
            page.on('dialog', (dialog) => void dialog.accept());
            return new Person(name, context, page, dice.split());
        }));
        const told = await Promise.all(people.map(async (person) => {
            const names: string[] = [];
            for (let n = 0; n < STEPS; ++n) {
                names.push(await person.step().catch((error: unknown) => {
                    throw new Error(`EDITOR_SEED=${SEED}, ${person.name}: ${names.join(' ')}, then ${String(error)}`, { cause: error });
                }));
            }

            return `${person.name}: ${names.join(' ')}`;
        }));
        const story = `EDITOR_SEED=${SEED}\n${told.join('\n')}`;

        // Nobody decides: after a minute both versions are kept.
        for (const { context } of people) {
            await context.setOffline(false);
        }

        for (const person of people) {
            await person.page.locator('.status.saved').waitFor({ timeout: 300_000 }).catch(async (error: unknown) => {
                const said = await person.page.locator('.status, .banners').allInnerTexts();
                throw new Error(`${story}\nThe editor of ${person.name} says: ${said.join(', ')}`, { cause: error });
            });
            await person.note();
        }

        const all = await everything(made);
        for (const { kept } of people) {
            expect(kept.filter((word) => !all.includes(word)), story).to.equal([]);
        }

        const pages = [...await editing.pagesOf(made)].sort((one, other) => one.y - other.y || one.x - other.x);
        for (const [n, { elements }] of pages.entries()) {
            const stored = elements.map(({ attributes: { text = '' }, styles: { left = 0, top = 0 } }) => `${String(text).trim()} ${Math.round(left)} ${Math.round(top)}`).sort();
            for (const { page } of people) {
                await page.locator('.page-button').nth(n).click();
                await expectSoon(async () => expect(await shownOn(page), story).to.equal(stored));
            }
        }
    });
});
