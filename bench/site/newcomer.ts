import type { Browser, Locator } from 'playwright-core';

import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { Film, films, laptop, mobile } from './film';
import { call } from './product';
import type { Person } from './product';

/** Longest time until a newcomer has saved a page, in milliseconds. */
const MOST = 60_000;

/** Milliseconds that a newcomer looks at each new screen, and that each letter takes. */
const LOOKING = 2000;
const LETTER = 100;

const words = 'Rain on the roof';

/** Goes from the gallery to a first saved page, with a picture of each step. @returns milliseconds, and how many of them the newcomer looked and typed */
async function arrive(film: Film, service: Listening): Promise<{ all: number; own: number }> {
    const { page } = film;
    let own = 0;
    const step = async (name: string, there: Locator): Promise<void> => {
        await there.waitFor();
        await page.waitForTimeout(LOOKING);
        own += LOOKING;
        await film.take(name);
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
    const needed = { all: performance.now() - from - film.pictures, own };
    await step('saved', page.locator('.stage', { hasText: words }));
    const id = /\d+$/.exec(new URL(page.url()).pathname)?.[0];
    // The project is private until it is published.
    const { user, token }: { user: Omit<Person, 'token'>; token: string } = JSON.parse(await page.evaluate<string>('localStorage.getItem(`pagewright ${location.origin}`)'));
    const { pages } = await call<{ pages: { elements: { attributes: { text?: string } }[] }[] }>(service, 'GET', `/users/${user.id}/projects/${id}/pages`, undefined, { ...user, token });
    if (pages[0]?.elements[0]?.attributes.text !== words) {
        throw new Error(`The service does not have what the editor says is saved: ${JSON.stringify(pages)}`);
    }

    return needed;
}

/** How long somebody who comes for the first time needs for a first saved page. */
export async function measureNewcomer(browser: Browser, service: Listening, log: (message: string) => void): Promise<Fact[]> {
    const facts: Fact[] = [];
    for (const [device, screen] of [['laptop', laptop], ['phone', mobile]] as const) {
        const film = await Film.begin(browser, service, 'newcomer', screen);
        const { all, own } = await arrive(film, service);
        await film.end();
        facts.push({ title: `from the gallery to a first saved page on a ${device}; of that looking and typing`, value: `${(all / 1000).toFixed(1)}, ${(own / 1000).toFixed(1)} s`, target: '≤ 60 s', met: all <= MOST });
    }

    log(`a picture of each step is in ${films}`);
    return facts;
}
