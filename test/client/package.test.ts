import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { launchChromium } from '../support/chromium';
import { listen } from '../support/host';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';
import { programFile } from '../support/programs';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const root = resolve(__dirname, '../..');
const run = promisify(execFile);

/** Code that each of the programs below runs with the client. */
const use = `
    const client = createClient(url);
    await client.signUp({ username: name, password: 'correct horse battery' });
    const { project, page } = await client.projects.create({ title: 'Mine' });
    await client.save([{ type: 'elements', method: 'create', id: 'first', data: { pageId: page.id, type: 'text', attributes: { text: 'Hello' } } }]);
    const [{ elements }] = await client.projects.pages(project);
    const failure = await client.projects.get('9000000').catch((error) => error);
    return \`\${elements[0].attributes.text} \${failure instanceof PagewrightError} \${typeof SaveError}\`;`;

const types = `
import { PagewrightError, SaveError, createClient, fileQueue } from 'pagewright-client';
import { renderPage, toHtml } from 'pagewright-client/render';
import type { Change, Client, ErrorCode, FileFunctions, Page, Queue, QueueStatus, Session } from 'pagewright-client';

declare const files: FileFunctions;

export async function all(client: Client = createClient('http://127.0.0.1:3000')): Promise<void> {
    const { data, response } = await client.api.GET('/featured-tags');
    const tags: string[] = data.featured;
    const status: number = response.status;
    const made = await client.api.POST('/users/{user}/projects', { params: { path: { user: 'me' } }, body: { title: 'Mine' } });
    const page: Page = made.data.page;
    const list = await client.api.GET('/users/{user}/projects', { params: { path: { user: 'me' }, query: { count: 5 } }, signal: AbortSignal.timeout(1000) });
    const next: string | null = list.data.next;
    await client.api.POST('/view-project/{project}', { params: { path: { project: '1' } } });
    await client.api.PATCH('/users/{user}/projects/{project}/feature', { params: { path: { user: '1', project: '2' } }, body: { featured: true } });
    await client.api.DELETE('/users/{user}', { params: { path: { user: 'me' }, header: { 'If-Match': '"1"' } } });
    const changes: Change[] = [{ type: 'pages', method: 'update', base: page, data: { x: 1 } }];
    const session: Session | null = client.session;
    for await (const change of client.history.list(made.data.project)) {
        const kind: 'create' | string = change.kind;
        const { pages } = await client.history.at(made.data.project, change.revision);
        console.log(kind, pages[0]?.elements[0]?.attributes);
    }
    for await (const { revision } of client.watch(made.data.project, { since: 1 })) {
        const { project, removed } = await client.history.since(made.data.project, revision);
        console.log(project?.title, removed.pages);
    }
    const queue: Queue = client.queue({ storage: fileQueue(files, 'queue'), onSaved: ({ ids }) => console.log(ids.get('new')) });
    const { failure, waiting }: QueueStatus = queue.status;
    console.log(failure?.error.conflicts[0], waiting);
    const stop: () => void = client.subscribe(() => undefined);

    // @ts-expect-error there is no such path
    await client.api.GET('/nowhere');
    // @ts-expect-error nor such a method
    await client.api.POST('/featured-tags');
    // @ts-expect-error a body is needed
    await client.api.POST('/users/{user}/projects', { params: { path: { user: 'me' } } });
    // @ts-expect-error and its title
    await client.api.POST('/users/{user}/projects', { params: { path: { user: 'me' } }, body: {} });
    // @ts-expect-error this takes no body
    await client.api.GET('/featured-tags', { body: {} });
    // @ts-expect-error a path needs its parameters
    await client.api.GET('/users/{user}');
    // @ts-expect-error all of them
    await client.api.GET('/users/{user}/projects/{project}', { params: { path: { user: '1' } } });
    // @ts-expect-error there is no such parameter
    await client.api.GET('/projects', { params: { query: { size: 5 } } });
    // @ts-expect-error a session is read
    client.session = session;

    try {
        await client.save(changes);
    }
    catch (error) {
        if (error instanceof SaveError && error.code === 'revision_conflict') {
            const code: ErrorCode | (string & {}) = error.code;
            console.log(code, error.change.method, error.index);
        }
        else if (error instanceof PagewrightError) {
            console.log(error.details.map(({ path }) => path), error.retryAfter?.toFixed());
        }
    }

    const drawn: string = toHtml(renderPage(page, { assetUrl: (hash, width) => client.assets.resolve(\`asset:\${hash}\`, { width: width ?? 640 }) }));
    // @ts-expect-error assets have addresses
    renderPage(page, {});
    stop();
    console.log(drawn, tags, status, next, session?.user.username);
}
`;

describe('the package of the client, packed in a fresh clone and installed in an empty folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    const [clone, empty] = [join(folder, 'clone'), join(folder, 'empty')];
    const installed = join(empty, 'node_modules/pagewright-client');
    let test: Product;
    let url: string;
    let files: string[];

    before(async () => {
        const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'client', 'LICENSE'], { cwd: root });
        for (const file of ['openapi.json', ...stdout.trim().split('\n')].filter((one) => existsSync(join(root, one)))) {
            cpSync(join(root, file), join(clone, file));
        }

        symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
        const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: join(clone, 'client') });
        const [{ filename, files: listed }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')));
        files = listed.map(({ path }: { path: string }) => path);

        mkdirSync(empty);
        writeFileSync(join(empty, 'package.json'), '{}');
        await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: empty });

        test = await startProduct();
        ({ url } = test);
    });

    after(async () => {
        rmSync(folder, { recursive: true });
        await test?.stop();
    });

    it('has the client and its types for both kinds of modules, without dependencies', () => {
        expect(files.sort()).to.equal(['LICENSE', 'README.md', 'dist/auth.cjs', 'dist/auth.d.cts', 'dist/auth.d.ts', 'dist/auth.js', 'dist/pagewright.cjs', 'dist/pagewright.d.cts', 'dist/pagewright.d.ts', 'dist/pagewright.js', 'dist/render.cjs', 'dist/render.d.cts', 'dist/render.d.ts', 'dist/render.js', 'package.json']);
        const { dependencies, license } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
        expect({ dependencies, license }).to.equal({ dependencies: undefined, license: 'MIT' });
        expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).to.equal(readFileSync(join(root, 'LICENSE'), 'utf8'));
    });

    const programs = [
        ['mjs', 'import { PagewrightError, SaveError, createClient } from \'pagewright-client\';'],
        ['mjs', 'import { PagewrightError, SaveError, createClient } from \'pagewright-client/pagewright.js\';'],
        ['cjs', 'const { PagewrightError, SaveError, createClient } = require(\'pagewright-client\');']
    ] as const;
    for (const [index, [extension, load]] of programs.entries()) {
        it(`works in Node: ${load}`, async () => {
            const file = join(empty, `use-${index}.${extension}`);
            writeFileSync(file, `${load}\nconst use = async (url, name) => {${use}\n};\nuse('${url}', 'node-${index}').then(console.log);\n`);
            expect((await run(process.execPath, [file], { cwd: empty })).stdout.trim()).to.equal('Hello true function');
        });
    }

    it('has the renderer for both kinds of modules', async () => {
        for (const [name, load] of [['render.mjs', 'import { renderPage, toHtml } from \'pagewright-client/render\';'], ['render.cjs', 'const { renderPage, toHtml } = require(\'pagewright-client/render\');']] as const) {
            writeFileSync(join(empty, name), `${load}\nconsole.log(toHtml(renderPage({ styles: {}, elements: [{ type: 'text', attributes: { text: 'Hello' }, styles: {} }] }, { assetUrl: () => '' })));`);
            expect((await run(process.execPath, [join(empty, name)])).stdout).to.contain('>Hello</div>');
        }
    });

    it('works in a page with only one file', async () => {
        const page = `<!doctype html><title>A page</title><script type="module">
            import { PagewrightError, SaveError, createClient } from './pagewright.js';
            const use = async (url, name) => {${use}};
            document.title = await use('${url}', 'page').catch(String);
        </script>`;
        const server = createServer((request, response) => {
            const isScript = request.url === '/pagewright.js';
            response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
            response.end(isScript ? readFileSync(join(installed, 'dist/pagewright.js')) : page);
        });
        const browser = await launchChromium();
        const opened = await browser.newPage();
        await opened.goto(`http://127.0.0.1:${await listen(server)}`);
        await opened.waitForFunction('document.title !== "A page"');
        expect(await opened.title()).to.equal('Hello true function');
        await browser.close();
        server.close();
    });

    it('has strict types for both kinds of modules and for bundlers', async () => {
        const compile = (compiler: string, options: object, ...names: string[]): Promise<string> => {
            names.forEach((file) => writeFileSync(join(empty, file), types));
            writeFileSync(join(empty, 'tsconfig.json'), JSON.stringify({
                compilerOptions: {
                    target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], types: [], noEmit: true, strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true,
                    ...options
                },
                files: names
            }));
            return run(process.execPath, [compiler, '-p', empty]).then(() => 'ok', (error) => error.stdout);
        };

        // Not only by the compiler that the client is built with. Once also with the declarations and lib.dom.d.ts checked.
        expect(await compile(join(root, 'node_modules/@typescript/native/bin/tsc'), { module: 'NodeNext', skipLibCheck: false }, 'esm.mts', 'common.cts')).to.equal('ok');
        expect(await compile(programFile('typescript/bin/tsc'), { module: 'ESNext', moduleResolution: 'Bundler', skipLibCheck: true }, 'bundled.ts')).to.equal('ok');
    });
});
