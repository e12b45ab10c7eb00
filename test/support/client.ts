import { existsSync, readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';

import { launchChromium } from './chromium';
import { listen } from './host';
import { startProduct } from './product';
import type { Product } from './product';
import { fromRunner } from './runner';
import type { Actor } from './server';

export type Pagewright = typeof import('../../client/dist/pagewright.js', { with: { 'resolution-mode': 'import' } });

type Session = import('../../client/dist/pagewright.js', { with: { 'resolution-mode': 'import' } }).Session;

/** The client, the URL of its service, and values from the test. */
export interface Kit<Given> {
    pagewright: Pagewright;
    url: string;
    given: Given;
}

/** Code that uses the client. It is sent to the browser as text, so it can only use its arguments. */
export type Scenario<Given, Result> = (kit: Kit<Given>) => Result | Promise<Result>;

export const hosts = ['Node', 'Chromium'] as const;
export type HostName = typeof hosts[number];

/** The session of somebody who is signed in. */
export const sessionOf = ({ id, username, token }: Actor): Session => ({ token, tokenId: null, user: { id, username } });

/** A response that does not come from the service. */
export interface Planted {
    status: number;
    headers?: Record<string, string>;
    body: object;
}

/** The built service behind a proxy, and both places where the client runs: in this process, and on a page of another origin. */
export interface ClientTest {
    /** the service itself, without the proxy */
    test: Product;
    /** of the proxy */
    url: string;
    /** requests through the proxy, such as `GET /projects?count=2 200`, without preflights */
    requests: string[];
    /** the proxy's own response: `'break'` closes the connection, `'lose'` does so when the service has answered, undefined passes the request on */
    intercept: ((request: string) => Planted | 'break' | 'lose' | undefined) | undefined;
    /** breaks every connection through the proxy */
    cut(): void;
    run<Given, Result>(host: HostName, given: Given, scenario: Scenario<Given, Result>): Promise<Result>;
    stop(): Promise<void>;
}

/** The client as `npm run client` builds it. */
export const dist = join(__dirname, '../../client/dist');

// Lab compiles tests to CommonJS, which would change an `import()`.
const load: (url: string) => Promise<Pagewright> = runInThisContext('(url) => import(url)', { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });

/** @throws Error if the client has not been built */
export async function checkBuilt(): Promise<void> {
    await fromRunner('client');
    if (!existsSync(join(dist, 'pagewright.js'))) {
        throw new Error('This test needs the client: npm run client');
    }
}

export async function startClientTest(): Promise<ClientTest> {
    await checkBuilt();
    const pagewright = await load(pathToFileURL(join(dist, 'pagewright.js')).href);
    const files = createServer((request, response) => {
        const isScript = request.url === '/pagewright.js';
        response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
        response.end(isScript ? readFileSync(join(dist, 'pagewright.js')) : '<!doctype html><title>A page of another origin</title>');
    });
    const browser = await launchChromium();
    const test = await startProduct();
    const origin = `http://127.0.0.1:${await listen(files)}`;
    const proxy = proxyTo(test.url, () => made);

    const made: ClientTest = {
        test,
        url: `http://127.0.0.1:${await listen(proxy)}`,
        requests: [],
        intercept: undefined,
        cut: () => proxy.closeAllConnections(),
        run: async (host, given, scenario) => {
            if (host === 'Node') {
                return await scenario({ pagewright, url: made.url, given });
            }

            const context = await browser.newContext();
            const page = await context.newPage();
            await page.goto(origin);
            try {
                return await page.evaluate(`import('/pagewright.js').then((pagewright) => (${scenario})({ pagewright, url: '${made.url}', given: ${JSON.stringify(given)} }))`);
            }
            finally {
                await context.close();
            }
        },
        stop: async () => {
            await browser.close();
            files.close();
            proxy.close();
            proxy.closeAllConnections();
            await test.stop();
        }
    };
    return made;
}

/** Passes requests on to the service, and records each with the status of its response. */
function proxyTo(service: string, test: () => Pick<ClientTest, 'requests' | 'intercept'>): Server {
    return createServer((request, response) => {
        const { method = '', url = '', headers } = request;
        const { requests, intercept } = test();
        const isPreflight = method === 'OPTIONS';
        const planted = isPreflight ? undefined : intercept?.(`${method} ${url}`);
        const note = (status: number | undefined): void => {
            if (!isPreflight) {
                requests.push(`${method} ${url} ${status}`);
            }
        };

        if (planted === 'break') {
            request.destroy();
            return;
        }

        if (typeof planted === 'object') {
            note(planted.status);
            request.resume();
            response.writeHead(planted.status, { 'content-type': 'application/json', 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Retry-After', ...planted.headers });
            response.end(JSON.stringify(planted.body));
            return;
        }

        const passed = send(`${service}${url}`, { method, headers }, (answer) => {
            note(answer.statusCode);
            if (planted === 'lose') {
                answer.resume().on('end', () => response.destroy());
                return;
            }

            response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
            answer.on('error', () => response.destroy()).pipe(response);
        });
        passed.on('error', () => response.destroy());
        response.on('close', () => passed.destroy());
        request.pipe(passed);
    });
}
