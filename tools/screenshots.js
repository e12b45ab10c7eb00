#!/usr/bin/env node
'use strict';

/**
 * Makes the pictures of the README, in docs/images/: starts the built product on an empty folder and looks at it in Chromium.
 * Run `npm run build` first.
 */
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { chromium } = require('playwright-core');

const root = join(__dirname, '..');

/** Name, path, width and height of each. The project is found by a word of its title. */
const pictures = [['gallery', '/', 1280, 800], ['player', 'harbour', 1280, 800], ['player-on-a-phone', 'robot', 390, 844]];

/** Starts the service. @returns its address, and what ends it */
const start = function (folder) {

    const child = spawn(process.execPath, ['bin/pagewright.js'], { cwd: root, env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, 'data') }, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise((end) => child.once('close', end));
    const url = new Promise((found, failed) => {

        let said = '';
        child.stderr.on('data', (data) => {

            said += data;
            const [, address] = /Pagewright is at (http:\S+)/.exec(said) ?? [];
            if (address !== undefined && said.includes('Ctrl-C')) {
                found(address);
            }
        });
        child.once('close', () => failed(new Error(said)));
    });
    return { url, stop: () => (child.kill('SIGTERM'), ended) };
};

const main = async function () {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-pictures-'));
    const service = start(folder);
    try {
        const url = await service.url;
        const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
        for (const [name, path, width, height] of pictures) {
            const page = await browser.newPage({ viewport: { width, height }, locale: 'en' });
            await page.goto(path.startsWith('/') ? url + path : `${url}/find?q=${path}`, { waitUntil: 'networkidle' });
            if (!path.startsWith('/')) {
                await page.locator('.cover').first().click();
                await page.locator('.player').waitFor();
                await page.waitForLoadState('networkidle');
            }

            await page.screenshot({ path: join(root, `docs/images/${name}.png`) });
            await page.close();
        }

        await browser.close();
    }
    finally {
        await service.stop();
        rmSync(folder, { recursive: true, force: true });
    }
};

main().catch((error) => {

    console.error(error);
    process.exitCode = 1;
});
