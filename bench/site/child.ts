import { randomBytes } from 'node:crypto';

import type { Browser } from 'playwright-core';
import Sharp from 'sharp';

import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import { Film, screens } from './film';

/** A photo as a child may have one. */
async function photo(): Promise<Buffer> {
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900"><rect width="1200" height="900" fill="#8ecdf0"/><circle cx="980" cy="170" r="90" fill="#ffd54f"/><path d="M0 700 Q300 520 600 680 T1200 640 V900 H0Z" fill="#6fb98f"/><ellipse cx="520" cy="640" rx="180" ry="110" fill="#7a5230"/><circle cx="670" cy="540" r="90" fill="#7a5230"/><path d="M610 480 l20 -70 l40 50 l50 -50 l10 75Z" fill="#7a5230"/><circle cx="645" cy="530" r="12"/><circle cx="700" cy="530" r="12"/></svg>';
    return await Sharp(Buffer.from(drawing)).jpeg().toBuffer();
}

/** A child comes to the gallery, makes a remix without being signed in, changes it, publishes it and shows it to others. */
async function play(film: Film, service: Listening): Promise<void> {
    const { page } = film;
    await page.goto(service.base);
    await film.take('gallery', page.locator('.card'));
    await film.press(page.locator('.card a').first());
    await film.take('a-project', page.locator('.actions'));
    await film.follow('Remix');
    await film.take('sign-in-for-the-remix', page.getByLabel('Username'));
    await film.follow('Open an account');
    await film.take('open-an-account', page.getByRole('heading', { name: 'Open an account' }));
    await page.getByLabel('Username').fill(`mia-${randomBytes(3).toString('hex')}`);
    await page.getByLabel('Password', { exact: true }).fill('a lamp in the window');
    await film.press('Open an account');
    await film.take('editor', page.locator('.editor .stage [data-element]'));

    const text = page.locator('.stage [data-element]').filter({ hasText: /\w{3}/ }).first();
    await film.press(text);
    await film.take('a-text-is-chosen', page.locator('.has-chosen'));
    await (film.isTouch ? page.keyboard.press('Enter') : text.dblclick());
    await page.locator('.stage textarea').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Mia was here');
    await film.take('a-text-is-changed');
    await letGo(film);
    await page.locator('.tool.file input').first().setInputFiles({ name: 'cat.jpg', mimeType: 'image/jpeg', buffer: await photo() });
    await film.take('a-picture-is-added', page.locator('.status.saved'));
    await letGo(film);
    await film.press('Button');
    await film.take('what-a-button-can-do');
    await film.press('Show something');
    await film.take('a-button');
    await page.keyboard.type('Meow?');
    await letGo(film);
    await film.press('Sound');
    await film.take('a-sound');
    await page.keyboard.press('Escape');
    await film.press('Share');
    await film.take('share', page.getByRole('dialog'));
    await page.keyboard.press('Escape');
    await page.locator('.status.saved').waitFor();
    await film.follow('Play');
    await film.take('play', page.locator('.player'));
    await film.press(page.locator('.publish summary'));
    await film.take('publish');
    await film.press('Publish it for everybody');
    await film.take('published', page.locator('.address-of'));
    await film.press('Full screen');
    await film.take('full-screen');
    await film.press('Leave full screen');
    await page.goto(`${service.base}/account/projects`);
    await film.take('my-projects', page.locator('.row'));
}

/** Lets go of what is chosen: beside the page, or on a phone by the button. */
async function letGo({ page }: Film): Promise<void> {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
}

export async function filmChild(browser: Browser, service: Listening): Promise<Fact[]> {
    const facts: Fact[] = [];
    for (const screen of screens) {
        const film = await Film.begin(browser, service, 'child', screen);
        await play(film, service).catch((error: unknown) => film.take('stopped').then(() => film.faults.push(String(error).split('\n', 1).join())));
        facts.push(film.fact(`a child's first five minutes at ${screen.name}`));
        await film.end();
    }

    return facts;
}
