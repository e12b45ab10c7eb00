import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

import { launchChromium } from './chromium';
import { startProduct } from './product';
import type { Product } from './product';
import type { Actor } from './server';

export const desk = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** Seconds until what is waited for counts as missing: `EDITING_PATIENCE=10` is enough where nothing else runs. */
const PATIENCE = Number(process.env.EDITING_PATIENCE ?? 60);

/** A project that a test edits. */
export interface Made {
    id: string;
    owner: Actor;
    page: string;
}

interface StoredElement {
    id: string;
    type: string;
    attributes: Record<string, unknown>;
    styles: Record<string, number>;
}

interface StoredPage {
    id: string;
    x: number;
    y: number;
    styles: Record<string, unknown>;
    elements: StoredElement[];
}

/** The built service and a browser, with people who use the editor. */
export class Editing {
    #test: Product | undefined;
    #browser: Browser | undefined;
    #wrong: string[] = [];
    readonly #contexts: BrowserContext[] = [];

    get test(): Product {
        return this.#test ?? notStarted();
    }

    start = async (): Promise<void> => {
        this.#test = await startProduct();
        this.#browser = await launchChromium();
    };

    stop = async (): Promise<void> => {
        await this.#browser?.close();
        await this.#test?.stop();
    };

    /** Closes all windows. Fails if a page had an error. */
    closeWindows = async (): Promise<void> => {
        await Promise.all(this.#contexts.splice(0).map(async (context) => {
            // A test may have held an answer back, which nobody waits for any more.
            await context.unrouteAll({ behavior: 'ignoreErrors' });
            await context.close();
        }));
        const told = this.#wrong;
        this.#wrong = [];
        expect(told).to.equal([]);
    };

    /** A browser of its own, in which somebody is signed in. */
    windowOf = async ({ id, username, token }: Actor, viewport = desk, more: object = {}): Promise<BrowserContext> => {
        const context = await this.guest(viewport, more);
        await context.addInitScript(`localStorage.setItem(${JSON.stringify(`pagewright ${this.test.url}`)}, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
        return context;
    };

    /** A browser of its own, in which nobody is signed in. */
    guest = async (viewport = desk, more: object = {}): Promise<BrowserContext> => {
        const context = await (this.#browser ?? notStarted()).newContext({ viewport, hasTouch: viewport === phone, locale: 'en', ...more });
        this.#contexts.push(context);
        context.setDefaultTimeout(1000 * PATIENCE);
        return context;
    };

    show = async (context: BrowserContext, id: string): Promise<Page> => {
        const page = await context.newPage();
        page.on('pageerror', (error) => void this.#wrong.push(String(error.stack)));
        page.on('console', (message) => void (/Content Security Policy/.test(message.text()) && this.#wrong.push(message.text())));
        await page.goto(`${this.test.url}/edit/${id}`);
        await page.locator('.stage').waitFor();
        return page;
    };

    open = async (who: Actor, id: string, viewport = desk, more: object = {}): Promise<Page> => await this.show(await this.windowOf(who, viewport, more), id);

    make = async (texts: readonly string[] = []): Promise<Made> => {
        const owner = await this.test.open(`ed-${randomBytes(4).toString('hex')}`);
        const { body: { project, page } } = await this.test.call('POST', '/users/me/projects', { title: 'A small book' }, { token: owner.token });
        const made = { id: project.id, owner, page: page.id };
        for (const [index, text] of texts.entries()) {
            await this.put(made, { type: 'text', attributes: { text }, styles: { left: 20, top: 20 + 60 * index, width: 200, fontSize: 20 } });
        }

        return made;
    };

    /** Adds an element without the editor. */
    put = async ({ id, owner, page }: Made, element: object): Promise<string> => (await this.test.call('POST', `/users/me/projects/${id}/pages/${page}/elements`, element, { token: owner.token })).body.element.id;

    /** Lets somebody else in, who may edit. */
    join = async ({ id, owner }: Made): Promise<Actor> => {
        const friend = await this.test.open();
        await this.test.call('PUT', `/users/me/projects/${id}/members/${friend.username}`, { role: 'editor' }, { token: owner.token });
        return friend;
    };

    pagesOf = async ({ id, owner }: Made): Promise<StoredPage[]> => {
        return (await this.test.call('GET', `/users/${owner.id}/projects/${id}/pages`, undefined, { token: owner.token })).body.pages;
    };

    textsOf = async (made: Made): Promise<unknown[]> => (await this.pagesOf(made)).flatMap(({ elements }) => elements.map(({ attributes }) => attributes.text));

    /** The only element of the first page. */
    onlyOf = async (made: Made): Promise<StoredElement> => (await this.pagesOf(made))[0]?.elements[0] ?? notStarted();
}

const notStarted = (): never => {
    throw new Error('That is not there (yet)');
};

export const thing = (page: Page, name: string): Locator => page.locator('.stage').getByRole('button', { name, exact: true });

export const saved = (page: Page): Promise<void> => page.locator('.status.saved').waitFor();

export const told = (page: Page, words: string | RegExp): Promise<void> => page.locator('#announcements').filter({ hasText: words }).waitFor({ state: 'attached' });

export const tool = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

/** Types into the field that is focused by then. */
export const write = async (page: Page, text: string): Promise<void> => {
    while (!await page.evaluate('document.activeElement.matches("input, textarea")')) {
        await page.waitForTimeout(20);
    }

    await page.keyboard.type(text);
};

/** What is on the screen. */
export const shown = (page: Page): Promise<string> => page.evaluate('[...document.querySelectorAll(".stage [data-element]")].map((one) => `${one.textContent} ${one.style.left} ${one.style.top} ${one.style.width}`).sort().join("\\n")');

/** Where the middle of something is on the screen. */
export async function middleOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
    const { x, y, width, height } = await locator.boundingBox() ?? notStarted();
    return { x: x + width / 2, y: y + height / 2, width, height };
}

/** Holds back the requests of a page to some addresses. @returns what sends them, and lets all later ones through */
export async function holdBack(page: Page, addresses: string): Promise<() => void> {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
        goOn = resolve;
    });
    await page.route(addresses, async (route) => {
        await held;
        await route.continue();
    });
    return goOn;
}

/** Tries until it holds. */
export async function expectSoon(check: () => Promise<unknown>): Promise<void> {
    for (let left = 5 * PATIENCE; ; --left) {
        try {
            await check();
            return;
        }
        catch (error) {
            if (left === 0) {
                throw error;
            }

            await new Promise((resolve) => {
                setTimeout(resolve, 200);
            });
        }
    }
}
