import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** Where Debian puts Chromium. Without the windows that nobody sees, it takes half the processor time: that one first. */
const places = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/**
 * Starts Debian's Chromium.
 * @param serviceWorkers whether pages may have one: what it answers cannot be replaced by a test, and each window would load all files of the site. test/site/offline.test.ts has one
 */
export async function launchChromium(serviceWorkers: 'allow' | 'block' = 'block'): Promise<Browser> {
    const executablePath = places.find((place) => existsSync(place));
    if (executablePath === undefined) {
        throw new Error(`This test needs a browser at ${places.join(' or ')}: apt-get install chromium-headless-shell`);
    }

    const browser = await chromium.launch({ executablePath, args: flags });
    const newContext = browser.newContext.bind(browser);
    browser.newContext = (options) => newContext({ serviceWorkers, ...options });
    return browser;
}
