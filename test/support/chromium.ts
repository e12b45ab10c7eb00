import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

import { Missing } from './missing';

/** Folders where systems keep programs that are not in the PATH; the tests of the test runner look in none. */
const isLooking = process.env.CHROMIUM_PLACES === undefined;

/** Where systems put Chromium and what is made of it. Without the windows that nobody sees, it takes half the processor time: that one first. */
const places = [
    ...isLooking ? ['/usr/lib/chromium/chromium-headless-shell'] : [],
    ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'microsoft-edge-stable', 'chrome', 'msedge'].flatMap((name) => (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '').map((folder) => join(folder, name))),
    ...isLooking ? ['/usr/bin/chromium', '/usr/bin/google-chrome', '/snap/bin/chromium', '/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge'] : [],
    ...(isLooking ? ['Google Chrome', 'Chromium', 'Microsoft Edge'] : []).flatMap((name) => ['/Applications', join(homedir(), 'Applications')].map((folder) => `${folder}/${name}.app/Contents/MacOS/${name}`))
];
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** The browser to test with: `CHROMIUM=/path/to/it`, or one that is installed. */
function findBrowser(): string {
    const found = process.env.CHROMIUM || places.find((place) => existsSync(place));
    if (found === undefined) {
        throw new Missing('Chromium, Chrome or Edge (on Debian: apt-get install chromium-headless-shell; elsewhere: install one, or name it: CHROMIUM=/path/to/it)');
    }

    return found;
}

/**
 * Starts Chromium, Chrome or Edge.
 * @param serviceWorkers whether pages may have one: what it answers cannot be replaced by a test, and each window would load all files of the site. test/site/offline.test.ts has one
 */
export async function launchChromium(serviceWorkers: 'allow' | 'block' = 'block'): Promise<Browser> {
    const executablePath = findBrowser();
    const browser = await chromium.launch({ executablePath, args: flags });
    const newContext = browser.newContext.bind(browser);
    browser.newContext = (options) => newContext({ serviceWorkers, ...options });
    return browser;
}

/** Waits until a page has loaded, and nothing more has come for half a second. The stream that a page of somebody who is signed in listens to does not count: it never ends. */
export async function settled(page: Page): Promise<void> {
    await page.waitForLoadState('load');
    for (let come = 0, known = -1; known !== come;) {
        known = come;
        await sleep(500);
        come = await page.evaluate<number>('performance.getEntriesByType("resource").length');
    }
}
