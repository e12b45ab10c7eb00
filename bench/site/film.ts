import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { desk, openWindow, phone } from './product';

/** Where the pictures are, in a folder for each film. */
export const films = resolve(__dirname, '../../..', '.data/film');

interface Screen {
    name: string;
    viewport: typeof desk;
    hasTouch: boolean;
}

export const laptop: Screen = { name: '1280', viewport: desk, hasTouch: false };
export const tablet: Screen = { name: '820', viewport: { width: 820, height: 1180 }, hasTouch: true };
export const mobile: Screen = { name: '390', viewport: phone, hasTouch: true };

export const screens = [laptop, tablet, mobile];

/** Milliseconds in which a screen comes to rest. */
const REST = 400;

/** Whether all pictures are there, and how long they may take, in milliseconds. */
const isDrawn = '[...document.images].every(({ complete, loading }) => complete || loading === "lazy")';
const MAX_DRAWING = 20_000;

/** What is lower than a finger needs (WCAG 2.5.5), but for links within a sentence and what is played. */
const tooLow = `[...document.querySelectorAll('a, button, summary, select, input:not([type=checkbox], [type=radio], [type=file], [type=color])')]
    .filter((one) => one.checkVisibility() && !one.matches('p > a, .colour, .stage *, .visually-hidden, .skip') && one.getBoundingClientRect().height < 43)
    .map((one) => \`\${(one.getAttribute('aria-label') || one.textContent).trim().slice(0, 30)} is \${Math.round(one.getBoundingClientRect().height)} px high\`)`;

/** Somebody at a screen, with a picture of each thing that they see. */
export class Film {
    readonly page: Page;
    readonly isTouch: boolean;
    /** milliseconds that the pictures took */
    pictures = 0;
    /** what went wrong on the pages; the pictures on which a page is wider than the screen, or something too low for fingers */
    readonly faults: string[] = [];
    readonly #folder: string;
    #count = 0;

    private constructor(page: Page, folder: string, isTouch: boolean) {
        this.page = page;
        this.#folder = folder;
        this.isTouch = isTouch;
        page.on('pageerror', ({ message }) => void (message.includes('ViewTransition') || this.faults.push(message)));
    }

    static async begin(browser: Browser, service: Listening, story: string, { name, viewport, hasTouch }: Screen, options: BrowserContextOptions = {}): Promise<Film> {
        const folder = join(films, `${story}-${name}`);
        mkdirSync(folder, { recursive: true });
        const context = await openWindow(browser, service, { viewport, hasTouch, ...options });
        return new Film(await context.newPage(), folder, hasTouch);
    }

    /** Takes a picture once something is there. */
    async take(name: string, there?: Locator): Promise<void> {
        await there?.first().waitFor();
        const from = performance.now();
        await this.page.waitForTimeout(REST);
        for (const until = from + MAX_DRAWING; performance.now() < until && !await this.page.evaluate<boolean>(isDrawn);) {
            await this.page.waitForTimeout(REST);
        }

        const picture = `${String(++this.#count).padStart(2, '0')}-${name}.png`;
        await this.page.screenshot({ path: join(this.#folder, picture) });
        if (!await this.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')) {
            this.faults.push(`${picture} is wider than the screen`);
        }

        if (this.isTouch) {
            this.faults.push(...(await this.page.evaluate<string[]>(tooLow)).map((one) => `${picture}: ${one}`));
        }

        this.pictures += performance.now() - from;
    }

    /** Presses with a finger or the mouse. */
    async press(what: Locator | string): Promise<void> {
        const one = typeof what === 'string' ? this.page.getByRole('button', { name: what, exact: true }).first() : what.first();
        await (this.isTouch ? one.tap() : one.click());
    }

    async follow(link: string | RegExp): Promise<void> {
        await this.press(this.page.getByRole('link', { name: link, exact: true }));
    }

    async end(): Promise<void> {
        await this.page.context().close();
    }

    /** How many pictures there are, and what is wrong with them. */
    fact(title: string): Fact {
        return { title: `${title}: pictures, faults`, value: [this.#count, this.faults.length, ...this.faults].join(', '), target: '0 faults', met: this.faults.length === 0 };
    }
}
