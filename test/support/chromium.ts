import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts Debian's Chromium. */
export function launchChromium(): Promise<Browser> {
    if (!existsSync(CHROMIUM)) {
        throw new Error(`This test needs a browser at ${CHROMIUM}: apt-get install chromium`);
    }

    return chromium.launch({ executablePath: CHROMIUM, args: flags });
}
