'use strict';

/**
 * Builds what browsers load, into `dist/site/`: the page at /docs, and the site's scripts, styles and texts. Files of the site have a hash
 * of their content in their names, so that browsers may keep them for good; `built.json` says what is called what. And the client, for
 * pages of other origins.
 */
const { execFile } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, join } = require('node:path');
const { promisify } = require('node:util');

const { build } = require('esbuild');
const Sharp = require('sharp');

const { readFonts } = require('./fonts');

const root = join(__dirname, '..');
const out = join(root, 'dist/site');
const made = join(out, 'made');
const shared = { absWorkingDir: root, bundle: true, minify: true, target: 'es2022', logLevel: 'warning' };

/** Each is loaded by a page of its own, or by all. */
const entries = ['web/page.ts', 'web/announcements.ts', 'web/player/main.tsx', 'web/player/embed.ts', 'web/editor/main.tsx', 'web/account/main.tsx', 'web/moderation/main.tsx', 'web/admin/main.tsx', 'web/classes/main.tsx', 'web/consent/main.tsx', 'web/people/person.ts', 'web/people/feed.tsx', 'web/style.css'];

/** The texts of the player in a file, in all languages. */
const inFiles = /^player\.(?:by|pages|number|page_number|left|right|up|down|empty|picture_at)$/;

const write = function (file, content) {

    // Others may read it at the same time.
    writeFileSync(`${file}.${process.pid}`, content);
    renameSync(`${file}.${process.pid}`, file);
};

/** The texts of each language, with the English ones where a translation lacks. @returns their files */
const texts = function () {

    const folder = join(__dirname, 'locales');
    const read = (language) => JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8'));
    const english = read('en');
    return Object.fromEntries(readdirSync(folder).filter((name) => name.endsWith('.json')).map((name) => {

        const language = basename(name, '.json');
        const content = JSON.stringify({ ...english, ...read(language) });
        const file = `${language}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.json`;
        write(join(made, file), content);
        return [language, file];
    }));
};

/** The player for files that play one project, as a script and styles that need nothing else. The file has its own fonts. */
const filePlayer = async function () {

    const folder = join(__dirname, 'locales');
    const all = Object.fromEntries(readdirSync(folder).map((name) => {

        const known = Object.entries(JSON.parse(readFileSync(join(folder, name), 'utf8')));
        return [basename(name, '.json'), Object.fromEntries(known.filter(([key]) => inFiles.test(key)))];
    }));
    const plugin = {
        name: 'in-files',
        setup: (one) => {

            one.onResolve({ filter: /^(?:fonts|player-texts)$/ }, ({ path }) => ({ path, namespace: 'in-files' }));
            one.onLoad({ filter: /^fonts$/, namespace: 'in-files' }, () => ({ contents: '', loader: 'css' }));
            one.onLoad({ filter: /^player-texts$/, namespace: 'in-files' }, () => ({ contents: JSON.stringify(all), loader: 'json' }));
        }
    };
    const { outputFiles } = await build({
        ...shared, entryPoints: [{ in: 'web/player/file.tsx', out: 'file-player' }, { in: 'web/style.css', out: 'file-player' }], outdir: out, write: false,
        format: 'iife', plugins: [plugin], jsx: 'automatic', jsxImportSource: 'preact'
    });
    for (const { path, contents } of outputFiles) {
        write(path, contents);
    }
};

/** The script of the service worker. It is one file, because all of it has to be there without a network. */
const worker = async function () {

    const { outputFiles: [{ contents }] } = await build({ ...shared, entryPoints: ['web/offline/worker.ts'], write: false, format: 'iife' });
    write(join(out, 'service-worker.js'), contents);
};

/** Pictures that stand for the site where it is installed. Systems cut those that are `maskable` to the shape of theirs. */
const icons = async function () {

    const wanted = [['icon.svg', 192, 'any'], ['icon.svg', 512, 'any'], ['icon-maskable.svg', 192, 'maskable'], ['icon-maskable.svg', 512, 'maskable']];
    return await Promise.all(wanted.map(async ([source, size, purpose]) => {

        const bytes = await Sharp(join(__dirname, source), { density: 72 * size / 64 }).resize(size, size).png().toBuffer();
        const file = `${basename(source, '.svg')}-${size}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.png`;
        write(join(made, file), bytes);
        return { file, sizes: `${size}x${size}`, purpose };
    }));
};

/** The client, as npm packs it. */
const packedClient = async function () {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-client-'));
    await promisify(execFile)('npm', ['pack', '--silent', '--ignore-scripts', '--dry-run=false', '--pack-destination', folder], { cwd: join(root, 'client'), shell: process.platform === 'win32' });
    const [name] = readdirSync(folder);
    const bytes = readFileSync(join(folder, name));
    rmSync(folder, { recursive: true });
    return bytes;
};

/** The client for pages that load it from the service, and for programs that install it. */
const client = async function () {

    mkdirSync(join(out, 'client'), { recursive: true });
    for (const name of ['pagewright.js', 'pagewright.d.ts', 'auth.js', 'auth.d.ts', 'render.js', 'render.d.ts']) {
        write(join(out, 'client', name), readFileSync(join(root, 'client/dist', name)));
    }

    write(join(out, 'client/pagewright-client.tgz'), await packedClient());
};

/** What pages load, with their fonts. @returns what is called what */
const pages = async function () {

    const fonts = await readFonts();
    await fonts.draw(join(out, 'fonts'), write);
    const { metafile: { outputs } } = await build({
        ...shared, entryPoints: entries.map((path) => ({ in: path, out: path.replace(/^web\/|\.\w+$/g, '').replaceAll('/', '-') })), outdir: made,
        format: 'esm', splitting: true, metafile: true, entryNames: '[name]-[hash]', chunkNames: 'chunk-[hash]', assetNames: '[name]-[hash]', loader: { '.woff2': 'file' }, plugins: [fonts.plugin], jsx: 'automatic', jsxImportSource: 'preact'
    });
    const nameOf = (file) => basename(file);
    const names = Object.keys(outputs).map(nameOf);
    const files = Object.entries(outputs).filter(([, { entryPoint }]) => entries.includes(entryPoint)).map(([file, { entryPoint, cssBundle, imports }]) => [entryPoint, {
        file: nameOf(file),
        css: cssBundle === undefined ? [] : [nameOf(cssBundle)],
        imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => nameOf(path))
    }]);
    const faces = fonts.faces.map(({ name, ...face }) => ({ ...face, file: names.find((file) => file.startsWith(`${name}-`) && file.endsWith('.woff2')) }));
    return { entries: Object.fromEntries(files), fonts: faces, names };
};

const main = async function () {

    mkdirSync(made, { recursive: true });
    const docs = { ...shared, entryPoints: [{ in: 'web/docs/main.ts', out: 'docs' }, { in: 'web/docs/docs.css', out: 'docs' }], outdir: out };
    const [{ names, ...loaded }, pictures] = await Promise.all([pages(), icons(), client(), filePlayer(), worker(), build(docs)]);
    const languages = texts();
    const files = [...names, ...Object.values(languages), ...pictures.map(({ file }) => file)].sort();
    write(join(out, 'built.json'), JSON.stringify({ ...loaded, languages, files, icons: pictures }));
    for (const name of readdirSync(made).filter((each) => !files.includes(each) && !/\.\d+$/.test(each))) {
        rmSync(join(made, name), { force: true });
    }
};

main().catch((error) => {

    console.error(error.message);
    process.exit(1);
});
