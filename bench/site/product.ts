import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

import type { Context } from '../measure/context';
import type { Listening } from '../measure/processes';

const root = resolve(__dirname, '../../..');

const CHROMIUM = '/usr/bin/chromium';

/** How many times slower the scripts of pages run than this machine would run them. */
export const SLOW_DOWN = 4;

export const desk = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** The built service, and the commands of its operator. */
export interface Product extends Listening {
    /** Runs a command, such as `grant`. @throws Error if it fails */
    admin(...words: string[]): Promise<void>;
}

/** The built service as `npm start` starts it, on an empty folder, with the demo community; only the abuse limits are off. */
export async function startProduct({ dir, processes }: Context): Promise<Product> {
    const file = join(dir, 'product.log');
    const log = openSync(file, 'a');
    const program = join(root, 'bin/pagewright.js');
    const env = { PATH: process.env.PATH, DATA_DIR: join(dir, 'data') };
    const child = processes.start(process.execPath, [program], { env: { ...env, PORT: '0', RATE_LIMIT: 'off' }, stdio: ['ignore', log, 'pipe'] });
    closeSync(log);
    const base = await new Promise<string>((found, failed) => {
        let said = '';
        child.stderr?.on('data', (data) => {
            said += data;
            const [, address] = /Pagewright is at (http:\S+)/.exec(said) ?? [];
            if (address !== undefined && said.includes('Ctrl-C')) {
                found(address);
            }
        });
        child.once('close', () => failed(new Error(said)));
    });
    const admin = async (...words: string[]): Promise<void> => void await promisify(execFile)(process.execPath, [program, 'admin', ...words], { cwd: dir, env });
    return { child, base, pid: child.pid ?? 0, forget: () => truncateSync(file, 0), admin };
}

/** Waits until the service has drawn the thumbnails of the gallery, as it has soon after its start. */
export async function drawn({ base }: Listening): Promise<void> {
    const deadline = Date.now() + 60_000;
    while ((await (await fetch(base)).text()).includes('class="picture blank') && Date.now() < deadline) {
        await sleep(1000);
    }
}

export async function startChromium(): Promise<Browser> {
    if (!existsSync(CHROMIUM)) {
        throw new Error(`The pages are measured in a browser at ${CHROMIUM}: apt-get install chromium`);
    }

    return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
}

/** Somebody with an account. */
export interface Person {
    id: string;
    username: string;
    token: string;
}

/** @throws Error unless it succeeds */
export async function call<Body>({ base }: Listening, method: string, path: string, body?: object, person?: Person): Promise<Body> {
    const response = await fetch(base + path, {
        method, headers: { ...body === undefined ? {} : { 'content-type': 'application/json' }, ...person === undefined ? {} : { authorization: `token ${person.token}` } }, body: body === undefined ? undefined : JSON.stringify(body)
    });
    if (!response.ok) {
        throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    }

    return await response.json() as Body;
}

export async function openAccount(service: Listening): Promise<Person> {
    const made = await call<{ user: { id: string; username: string }; token: { access_token: string } }>(service, 'POST', '/users', { username: `b-${randomBytes(4).toString('hex')}`, password: 'correct horse battery' });
    return { ...made.user, token: made.token.access_token };
}

/** A project of 20 pages with 10 texts each. @returns its id */
export async function makeLarge(service: Listening, person: Person): Promise<string> {
    const pages = Array.from({ length: 20 }, (_each, n) => ({ type: 'pages', method: 'create', data: { projectId: '$0.id', x: n % 5, y: 1 + Math.floor(n / 5), styles: { backgroundColor: '#f4f8ec' } } }));
    const elements = pages.flatMap((_page, n) => Array.from({ length: 10 }, (_each, e) => ({
        type: 'elements', method: 'create',
        data: { pageId: `$${n + 1}.id`, type: 'text', attributes: { text: `Text ${n} ${e}, a line of words that breaks somewhere` }, styles: { left: 20, top: 20 + 44 * e, width: 280, fontSize: 16, color: '#1f5132' } }
    })));
    const made = await call<{ results: { id: string }[] }>(service, 'POST', '/users/me/bulk', { actions: [{ type: 'projects', method: 'create', data: { title: 'Twenty pages' } }, ...pages, ...elements] }, person);
    return made.results[0]?.id ?? '';
}

/** A window with nothing in its cache. */
export async function openWindow(browser: Browser, { base }: Listening, options: BrowserContextOptions, person?: Person): Promise<BrowserContext> {
    const context = await browser.newContext({ locale: 'en', ...options });
    if (person !== undefined) {
        const { id, username, token } = person;
        await context.addInitScript(`localStorage.setItem(${JSON.stringify(`pagewright ${base}`)}, ${JSON.stringify(JSON.stringify({ token, tokenId: null, user: { id, username } }))})`);
    }

    return context;
}
