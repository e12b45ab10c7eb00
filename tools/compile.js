'use strict';

// Translates TypeScript to CommonJS, file by file, into `dist/`. It does not check types, as `npm run typecheck` does in ten times the time.

const { existsSync, readdirSync, rmSync } = require('node:fs');
const { join, resolve } = require('node:path');

const { buildSync } = require('esbuild');

const root = resolve(__dirname, '..');
/** An image and a package are built without some of them. */
const folders = ['src', 'migrations', 'seeds', 'examples', 'tools', 'reliability', 'bench', 'test/support', 'test/routes', 'client/src/render'].filter((folder) => existsSync(join(root, folder)));

/** The TypeScript below a folder that is not a test. The examples for phones are for other compilers. */
const sourcesOf = (folder) =>

    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|d)\.ts$/.test(name) && !/node_modules|^phones/.test(name))
        .map((name) => join(root, folder, name));

const sources = folders.flatMap(sourcesOf);

buildSync({
    entryPoints: sources, outbase: root, outdir: join(root, 'dist'), format: 'cjs', platform: 'node', target: 'node20', sourcemap: true, logLevel: 'warning',
    tsconfigRaw: { compilerOptions: { alwaysStrict: true, jsx: 'react-jsx', jsxImportSource: 'preact' } }
});

// What has no source any more must not stay. All else stays, because a service may run from it.
const written = new Set(sources.map((file) => join(root, 'dist', file.slice(root.length).replace(/\.tsx?$/, '.js'))));
for (const folder of ['bench', 'client', 'examples', 'migrations', 'reliability', 'seeds', 'src', 'test', 'tools'].map((name) => join(root, 'dist', name)).filter(existsSync)) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => /\.js(?:\.map)?$/.test(one))) {
        if (!written.has(join(folder, name.replace(/\.map$/, '')))) {
            rmSync(join(folder, name));
        }
    }
}
