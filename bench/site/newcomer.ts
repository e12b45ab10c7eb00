import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

import type { Browser, Locator } from 'playwright-core';

import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { call, desk, openWindow, phone } from './product';

const folder = resolve(__dirname, '../../..', '.data/newcomer');

/** Longest time until a newcomer has saved a page, in milliseconds. */
const MOST = 60_000;

/** Milliseconds that a newcomer looks at each new screen, and that each letter takes. */
const LOOKING = 2000;
const LETTER = 100;

const words = 'Rain on the roof';

/** Goes from the gallery to a first saved page, with a picture of each step. @returns milliseconds, and how many of them the newcomer looked and typed */
async function arrive(browser: Browser, service: Listening, device: string, viewport: typeof desk): Promise<{ all: number; own: number }> {
    const context = await openWindow(browser, service, { viewport, hasTouch: viewport === phone });
    const page = await context.newPage();
    let [steps, own, pictures] = [0, 0, 0];
    const step = async (name: string, there: Locator): Promise<void> => {
        await there.waitFor();
        await page.waitForTimeout(LOOKING);
        own += LOOKING;
        const from = performance.now();
        await page.screenshot({ path: join(folder, `${device}-${++steps}-${name}.png`) });
        pictures += performance.now() - from;
    };

    const type = async (field: Locator, text: string): Promise<void> => {
        await field.pressSequentially(text, { delay: LETTER });
        own += LETTER * text.length;
    };

    const from = performance.now();
    await page.goto(service.base);
    await step('gallery', page.getByRole('link', { name: 'Make a project' }));
    await page.getByRole('link', { name: 'Make a project' }).click();
    const username = page.getByLabel('Username');
    await step('account', username);
    await type(username, `rain-${String(Math.random()).slice(2, 8)}`);
    await type(page.getByLabel('Password', { exact: true }), 'a lamp in the window');
    await page.getByRole('button', { name: 'Open an account' }).click();
    const title = page.getByLabel('Title of a new project');
    await step('title', title);
    await type(title, 'My rainy day');
    await page.getByRole('button', { name: 'Create' }).click();
    await step('editor', page.locator('.stage'));
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await step('text', page.locator('.words'));
    await type(page.locator('.words'), words);
    await page.locator('.status.saved').waitFor();
    const needed = { all: performance.now() - from - pictures, own };
    await step('saved', page.locator('.stage', { hasText: words }));
    const id = /\d+$/.exec(new URL(page.url()).pathname)?.[0];
    const { project } = await call<{ project: { user_id: string } }>(service, 'GET', `/projects/${id}`);
    const { pages } = await call<{ pages: { elements: { attributes: { text?: string } }[] }[] }>(service, 'GET', `/users/${project.user_id}/projects/${id}/pages`);
    await context.close();
    if (pages[0]?.elements[0]?.attributes.text !== words) {
        throw new Error(`The service does not have what the editor says is saved: ${JSON.stringify(pages)}`);
    }

    return needed;
}

/** How long somebody who comes for the first time needs for a first saved page. */
export async function measureNewcomer(browser: Browser, service: Listening, log: (message: string) => void): Promise<Fact[]> {
    mkdirSync(folder, { recursive: true });
    const facts: Fact[] = [];
    for (const [device, viewport] of [['laptop', desk], ['phone', phone]] as const) {
        const { all, own } = await arrive(browser, service, device, viewport);
        facts.push({ title: `from the gallery to a first saved page on a ${device}; of that looking and typing`, value: `${(all / 1000).toFixed(1)}, ${(own / 1000).toFixed(1)} s`, target: '≤ 60 s', met: all <= MOST });
    }

    log(`a picture of each step is in ${folder}`);
    return facts;
}
