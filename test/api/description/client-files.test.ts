import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { launchChromium } from '../../support/chromium';
import { listen } from '../../support/host';
import { startProduct } from '../../support/product';
import type { Product } from '../../support/product';
import { build, root } from '../../support/program';
import { startTestServer } from '../../support/server';
import type { TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the client that the service sends', () => {
    let test: Product;
    let withoutSite: TestServer;

    before(async () => {
        await build();
        test = await startProduct();
        withoutSite = await startTestServer();
    });

    after(async () => {
        await test?.stop();
        await withoutSite?.stop();
    });

    it('is the same at the short address, which is asked for again, and at that of its version, which never changes', async () => {
        for (const name of ['pagewright.js', 'pagewright.d.ts', 'auth.js', 'auth.d.ts', 'render.js', 'render.d.ts']) {
            const [short, long] = [await withoutSite.call('GET', `/client/${name}`), await withoutSite.call('GET', `/client/${version}/${name}`)];
            expect([short.status, long.status], name).to.equal([200, 200]);
            expect(short.text).to.equal(long.text).and.to.equal(readFileSync(join(root, 'client/dist', name), 'utf8'));
            expect(short.headers.etag).to.equal(long.headers.etag);
            expect([short.headers['cache-control'], long.headers['cache-control']]).to.equal(['no-cache', 'public, max-age=31536000, immutable']);
            expect((await withoutSite.call('GET', `/client/${name}`, undefined, { headers: { 'if-none-match': String(short.headers.etag) } })).status).to.equal(304);
            const isScript = name.endsWith('.js');
            for (const { headers } of [short, long]) {
                expect(headers).to.include({
                    'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin', 'content-type': isScript ? 'text/javascript; charset=utf-8' : 'text/typescript; charset=utf-8'
                });
                expect(headers['x-typescript-types']).to.equal(isScript ? `./${name.replace('.js', '.d.ts')}` : undefined);
            }
        }
    });

    it('is a package that npm installs from either address', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        const address = `/client/${version}/pagewright-client.tgz`;
        const { headers } = await withoutSite.call('GET', '/client/pagewright-client.tgz');
        expect(headers).to.include({ 'content-type': 'application/gzip', 'access-control-allow-origin': '*', 'cache-control': 'no-cache' }).and.not.include('content-encoding');
        expect((await withoutSite.call('GET', address, undefined, { headers: { 'if-none-match': String(headers.etag) } })).status).to.equal(304);

        writeFileSync(join(folder, 'package.json'), '{}');
        await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--cache', join(folder, 'cache'), `${test.url}/client/pagewright-client.tgz`], { cwd: folder });
        const { stdout } = await promisify(execFile)(process.execPath, ['--print', 'typeof require("pagewright-client").createClient'], { cwd: folder });
        expect(stdout.trim()).to.equal('function');
        rmSync(folder, { recursive: true });
    });

    it('is not there in other versions, nor are other files', async () => {
        const other = await withoutSite.call('GET', '/client/0.1.0/pagewright.js', undefined, { headers: { origin: 'https://editor.example' } });
        expect(other).to.include({ status: 404 });
        expect(other.body.message).to.equal(`This service has version ${version} of the client: /client/${version}/pagewright.js.`);
        expect(other.headers['access-control-allow-origin']).to.exist();
        for (const path of ['/client/pagewright.cjs', `/client/${version}/built.json`, '/client/..%2Fbuilt.json', `/client/${version}/constructor`]) {
            expect((await withoutSite.call('GET', path)).status, path).to.equal(404);
        }
    });

    it('works in an isolated page of another origin, from both addresses', async () => {
        const program = (address: string, name: string): string => `
            import { PagewrightError, createClient } from '${test.url}/client/${address}pagewright.js';
            import { renderPage, toHtml } from '${test.url}/client/${address}render.js';
            const client = createClient('${test.url}');
            await client.signUp({ username: '${name}-${Date.now() % 1e6}', password: 'correct horse battery' });
            const { project, page } = await client.projects.create({ title: 'Mine' });
            await client.save([{ type: 'elements', method: 'create', id: 'first', data: { pageId: page.id, type: 'text', attributes: { text: 'Hello' } } }]);
            const [read] = await client.projects.pages(project);
            document.title = [toHtml(renderPage(read, { assetUrl: () => '' })).includes('>Hello<'), self.crossOriginIsolated, typeof PagewrightError].join();`;
        const server = createServer((request, response) => {
            const [address = '', name = ''] = request.url === '/long' ? [`${version}/`, 'long'] : ['', 'short'];
            response.writeHead(200, { 'content-type': 'text/html', 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' });
            response.end(`<!doctype html><title>A page</title><script type="module">${program(address, name)}</script>`);
        });
        const browser = await launchChromium();
        const page = await browser.newPage();
        const origin = `http://127.0.0.1:${await listen(server)}`;
        for (const path of ['/short', '/long']) {
            await page.goto(`${origin}${path}`);
            await page.waitForFunction('document.title !== "A page"');
            expect(await page.title(), path).to.equal('true,true,function');
        }

        await browser.close();
        server.close();
    });

    it('has types that TypeScript finds where the README says', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        const address = 'https://pages.example/client/pagewright.js';
        writeFileSync(join(folder, 'pagewright.d.ts'), (await withoutSite.call('GET', '/client/pagewright.d.ts')).text);
        writeFileSync(join(folder, 'editor.ts'), `import { createClient } from '${address}';
export const title: Promise<string> = createClient('https://pages.example').projects.get('1').then((project) => project.title);
// @ts-expect-error there is no such method
createClient('https://pages.example').projects.nothing();
`);
        writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
            compilerOptions: {
                target: 'ES2022', module: 'ESNext', moduleResolution: 'Bundler', strict: true, noEmit: true, types: [], lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], paths: { [address]: ['./pagewright.d.ts'] }
            },
            files: ['editor.ts']
        }));
        const result = await promisify(execFile)(process.execPath, [join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', folder]).then(() => 'ok', (error) => error.stdout);
        rmSync(folder, { recursive: true });
        expect(result).to.equal('ok');
    });
});
