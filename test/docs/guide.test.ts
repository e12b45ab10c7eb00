import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { inspect, promisify } from 'node:util';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { launchChromium } from '../support/chromium';
import { listen } from '../support/host';
import { PASSWORD } from '../support/passwords';
import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = script();

const run = promisify(execFile);
const folder = join(__dirname, '../../docs');
const guide = readdirSync(folder).filter((name) => name.endsWith('.md'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The snippets of a page in one language. */
const snippets = (name: string, language: string): string[] => [...read(name).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language).map(([, , text = '']) => text);

/** The expected output in the comments of the snippets, line by line. */
const promised = (text: string): string[] => [...text.matchAll(/# → (.*)$/gm)].map(([, line = '']) => line);

lab.experiment('The guide', () => {

    let test: Product;

    /** The function with which all pages read answers. */
    const json = `json() { node -p "JSON.parse(require('fs').readFileSync(0))$1"; }`;
    /** Does the same. The commands read 160 answers, and to start curl takes a quarter of the time of starting Node; curl.md is run as it is. */
    let quickJson: string;
    const reader = createServer((request, response) => void textOf(request).then((sent) => {
        const [path = '', answer = ''] = sent.split('\0');
        const found: unknown = new Function('answer', `return answer${path}`)(JSON.parse(answer));
        response.end(`${typeof found === 'string' ? found : inspect(found)}\n`);
    }).catch((error: unknown) => void response.writeHead(500).end(String(error))));

    lab.before(async () => {
        test = await startProduct();
        quickJson = `json() { { printf '%s\\0' "$1"; cat; } | curl -sS --fail-with-body --data-binary @- http://127.0.0.1:${await listen(reader)}; }`;
    });

    lab.after(async () => {
        reader.close();
        await test.stop();
    });

    /** What the guides begin with. */
    const start = read('../examples/guide.sh');

    // The build is there, and the service has its settings from the test.
    const here = (text: string): string => text.replace('. examples/guide.sh', () => start.replace(json, () => quickJson)).replaceAll('http://127.0.0.1:3000', test.url).replaceAll('npm run --silent admin --', 'node bin/pagewright.js admin');

    for (const name of ['administration.md', 'classes.md', 'export-and-import.md', 'finding.md', 'history.md', 'live.md', 'moderating.md', 'paging.md', 'pictures.md', 'remixing.md', 'saving.md', 'sharing.md', 'signing-in.md']) {
        lab.test(`${name}: its commands print what it says`, async () => {
            const commands = snippets(name, 'sh').join('\n');
            expect(start).to.contain(`\n${json}\n`);
            const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here(commands).replace(json, () => quickJson)], { cwd: join(folder, '..'), env: { ...process.env, DATA_DIR: test.dataDir } });
            expect(promised(commands)).to.not.be.empty();
            expect(stdout.trimEnd().split('\n')).to.equal(promised(commands));
            expect(test.errors()).to.equal([]);
        });
    }

    lab.test('curl.md: its commands make a project that anybody can find', async () => {
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here(snippets('curl.md', 'sh').join('\n'))]);
        const [changed, pages, found] = stdout.trim().split('\n').map((line) => JSON.parse(line));
        expect(changed.element).to.include({ revision: 2, attributes: { text: 'Tomatoes and beans' } });
        expect(pages.pages[0].elements).to.equal([changed.element]);
        expect(found.projects.map(({ id }: { id: string }) => id)).to.include(pages.pages[0].project_id);
        expect(test.errors()).to.equal([]);
    });

    const node = async (name: string, env: NodeJS.ProcessEnv): Promise<string> => {
        const text = `const API = '${test.url}';\n${snippets(name, 'js').join('\n')}`;
        return (await run(process.execPath, ['--input-type=module', '--eval', text], { env: { ...process.env, ...env } })).stdout;
    };

    lab.test('live.md: its example is told of changes', async () => {
        const { id, token } = await test.open();
        const url = String((await test.call('POST', `/users/${id}/projects`, { title: 'Plants' }, { token })).headers.location);
        const code = `${read('../examples/watch.mjs')}
            const authorization = 'token ${token}';
            const told = [];
            const end = watch('${test.url}${url}', 0, (change) => {
                told.push(change.revision);
                return fetch('${test.url}${url}', change.revision === 1 ? { method: 'PATCH', headers: { authorization, 'content-type': 'application/json' }, body: '{"title":"Trees"}' } : { method: 'DELETE', headers: { authorization } });
            });
            await end;
            console.log(told.join());`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code]);
        expect(stdout.trim()).to.equal('1,2');
    });

    lab.test('paging.md: its JavaScript reads a list to its end', async () => {
        const { id, username, token } = await test.open();
        const actions = Array.from({ length: 120 }, (_one, n) => ({ type: 'projects', method: 'create', data: { title: `Leaf ${n}` } }));
        await test.call('POST', `/users/${id}/bulk`, { actions }, { token });
        const lines = (await node('paging.md', {})).split('\n').filter((line) => line.endsWith(`by ${username}`));
        expect(lines.length).to.equal(120);
        expect(new Set(lines).size).to.equal(120);
    });

    lab.test('signing-in.md: its JavaScript tells whether a token is good', async () => {
        const { token } = await test.open();
        expect(await node('signing-in.md', { PAGEWRIGHT_TOKEN: token })).to.equal('Signed in\n');
        expect(await node('signing-in.md', { PAGEWRIGHT_TOKEN: 'x' })).to.equal('Sign in again\n');
    });

    lab.test('first-editor.md: its editor writes, and reports a conflict', async () => {
        let html = '';
        const files = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html));
        const browser = await launchChromium();
        try {
            const { id: userId, username, token } = await test.open();
            const { body: { app } } = await test.call('POST', '/users/me/apps', { name: 'My editor', url: 'http://127.0.0.1:8000/', redirect_uris: ['http://127.0.0.1/first-editor.html'] }, { token });
            html = here(readFileSync(join(folder, '../examples/first-editor.html'), 'utf8')).replace('const APP = \'\'', `const APP = '${app.id}'`);
            const page = await browser.newPage();
            page.setDefaultTimeout(60_000);
            const wrong: string[] = [];
            page.on('pageerror', (error) => void wrong.push(error.message));
            const told = (words: string): Promise<void> => page.locator('#message', { hasText: words }).waitFor();
            const write = async (text: string): Promise<void> => {
                await page.locator('#page > div').fill(text);
                await page.locator('#page > div').blur();
            };

            await page.goto(`http://127.0.0.1:${await listen(files)}/first-editor.html`);
            await page.click('text=Sign in');
            await page.fill('[name=username]', username);
            await page.fill('[name=password]', PASSWORD);
            await page.keyboard.press('Enter');
            await page.click('text=Do not let it in');
            await page.locator('#message:not(:empty)').waitFor();
            await page.click('text=Sign in');
            await page.click('.consent button[type=submit]');
            await told('Made project');
            await page.click('#add');
            await page.locator('#page > div', { hasText: 'Write here' }).waitFor();
            await write('Good morning');
            await told('Saved, as revision 2.');

            // The same account on another computer.
            const { body: { projects: [project] } } = await test.call('GET', `/users/${userId}/projects`);
            const pages = `/users/${userId}/projects/${project.id}/pages`;
            const { body: { pages: [{ id, elements: [element] }] } } = await test.call('GET', pages);
            expect(element.attributes.text).to.equal('Good morning');
            await test.call('PATCH', `${pages}/${id}/elements/${element.id}`, { attributes: { text: 'Good night' } }, { token });
            await write('Good evening');
            await told('Meanwhile it became “Good night”.');
            await page.locator('#page > div').focus();
            await page.locator('#page > div').blur();
            await told('Saved, as revision 4.');

            // Whoever has signed in still is after the page is loaded again.
            await page.reload();
            await told('Made project');
            expect(wrong).to.equal([]);
        }
        finally {
            await browser.close();
            files.close();
        }
    });

    lab.test('is completely listed in its README', () => {
        const listed = [...read('README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
        // A page may be for several readers.
        expect([...new Set(listed)].sort()).to.equal(guide.filter((name) => name !== 'README.md').sort());
    });

    /** The files of a folder and of those below it whose names match, as paths from the root. */
    const filesOf = (below: string, name: RegExp): string[] => readdirSync(join(folder, '..', below), { recursive: true, encoding: 'utf8' })
        .filter((path) => name.test(path) && !path.includes('node_modules')).map((path) => join(below, path));

    lab.test('has no broken links, nor has any other page', () => {
        const pages = [...['docs', 'reliability', 'bench', 'client', 'src'].flatMap((below) => filesOf(below, /\.md$/)), 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'SECURITY.md'];
        for (const name of pages) {
            // Code has no links.
            const prose = read(join('..', name)).replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`(?!\])/g, '');
            for (const [, target, anchor] of prose.matchAll(/\]\((?!https?:)([^)#]+)?(?:#([^)]+))?\)/g)) {
                const file = join(folder, '..', target === undefined ? name : join(dirname(name), target));
                expect(existsSync(file), `${name} leads to ${target}`).to.be.true();
                if (anchor !== undefined) {
                    const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(/[^\w\s-]/g, '').replaceAll(' ', '-'));
                    expect(headings, `${name} leads to ${target ?? ''}#${anchor}`).to.include(anchor);
                }
            }
        }
    });

    lab.test('is named rightly by the code and its messages', () => {
        const files = [...['src', 'web', 'client/src', 'test', 'reliability', 'bench', 'tools'].flatMap((below) => filesOf(below, /\.(ts|tsx|js)$/)), '.env.example', 'docker-compose.yml', 'Dockerfile'];
        const named = files.flatMap((file) => [...read(join('..', file)).matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => [file, page] as const));
        expect(named).to.not.be.empty();
        expect(named.filter(([, page]) => !existsSync(join(folder, '..', page)))).to.equal([]);
    });
});
