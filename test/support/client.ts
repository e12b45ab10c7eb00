import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';

import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';

import { launchChromium } from './chromium';
import { listen } from './host';
import { startTestServer } from './server';
import type { TestServer } from './server';

export type Pagewright = typeof import('../../client/dist/pagewright.js', { with: { 'resolution-mode': 'import' } });

/** The client, where its service is, and what a test hands over. */
export interface Kit<Given> {
    pagewright: Pagewright;
    url: string;
    given: Given;
}

/** What is done with the client. It is sent to the browser as text, and so uses nothing but what it is given. */
export type Scenario<Given, Result> = (kit: Kit<Given>) => Result | Promise<Result>;

export const hosts = ['Node', 'Chromium'] as const;
export type HostName = typeof hosts[number];

/** A service that listens, and both places where the client runs: in this process, and on a page of another origin. */
export interface ClientTest {
    test: TestServer;
    url: string;
    /** what reached the service, as `GET /projects?count=2 200`, without preflights */
    requests: string[];
    /** answers in the service's stead, where it is there and does not continue */
    intercept: ((request: Request, h: ResponseToolkit) => Lifecycle.ReturnValue) | undefined;
    run<Given, Result>(host: HostName, given: Given, scenario: Scenario<Given, Result>): Promise<Result>;
    stop(): Promise<void>;
}

/** The client as `npm run client` builds it. */
export const dist = join(__dirname, '../../client/dist');

// Lab makes CommonJS of tests, in which an `import()` would not be one.
const load: (url: string) => Promise<Pagewright> = runInThisContext('(url) => import(url)', { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });

/** @throws Error where the client is not there */
export function checkBuilt(): void {
    if (!existsSync(join(dist, 'pagewright.js'))) {
        throw new Error('This test needs the client: npm run client');
    }
}

export async function startClientTest(): Promise<ClientTest> {
    checkBuilt();
    const pagewright = await load(pathToFileURL(join(dist, 'pagewright.js')).href);
    const files = createServer((request, response) => {
        const isScript = request.url === '/pagewright.js';
        response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
        response.end(isScript ? readFileSync(join(dist, 'pagewright.js')) : '<!doctype html><title>A page of another origin</title>');
    });
    const browser = await launchChromium();
    const test = await startTestServer();
    const origin = `http://127.0.0.1:${await listen(files)}`;
    await test.server.start();
    const url = `http://127.0.0.1:${test.server.info.port}`;

    const made: ClientTest = {
        test,
        url,
        requests: [],
        intercept: undefined,
        run: async (host, given, scenario) => {
            if (host === 'Node') {
                return await scenario({ pagewright, url, given });
            }

            const context = await browser.newContext();
            const page = await context.newPage();
            await page.goto(origin);
            try {
                return await page.evaluate(`import('/pagewright.js').then((pagewright) => (${scenario})({ pagewright, url: '${url}', given: ${JSON.stringify(given)} }))`);
            }
            finally {
                await context.close();
            }
        },
        stop: async () => {
            await browser.close();
            files.close();
            await test.stop();
        }
    };
    test.server.ext('onPreAuth', (request, h) => (request.method === 'options' ? h.continue : made.intercept?.(request, h) ?? h.continue));
    test.server.events.on('response', ({ method, url: asked, response }) => {
        if (method !== 'options') {
            made.requests.push(`${method.toUpperCase()} ${asked.pathname}${asked.search} ${'isBoom' in response ? response.output.statusCode : response.statusCode}`);
        }
    });
    return made;
}
