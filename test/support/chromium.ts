import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { Browser, BrowserServer, LaunchOptions } from 'playwright-core';

import { fromRunner } from './runner';

const CHROMIUM = '/usr/bin/chromium';
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Debian's Chromium. Under the test runner all files share one, each with its own windows, which `close` closes. */
export async function launchChromium(): Promise<Browser> {
    const shared = await fromRunner('browser');
    return shared === undefined ? chromium.launch(options()) : chromium.connect(shared);
}

/** Starts one to which several processes can connect. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer({ ...options(), host: '127.0.0.1' });

function options(): LaunchOptions {
    if (!existsSync(CHROMIUM)) {
        throw new Error(`This test needs a browser at ${CHROMIUM}: apt-get install chromium`);
    }

    return { executablePath: CHROMIUM, args: flags };
}
