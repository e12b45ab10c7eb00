'use strict';

// Translates TypeScript to CommonJS, file by file, into `dist/`. It does not check types, as `npm run typecheck` does in ten times the time.

const { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const { buildSync } = require('esbuild');

const root = resolve(__dirname, '..');
/** An image and a package are built without some of them. */
const folders = ['src', 'migrations', 'seeds', 'examples', 'tools', 'reliability', 'bench', 'test/support', 'test/routes', 'client/src/render'].filter((folder) => existsSync(join(root, folder)));

/** The files below a folder with such a name. The examples for phones are for other compilers. */
const filesOf = (folder, pattern) =>

    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => pattern.test(name) && !/\.(?:test|d)\.ts$/.test(name) && !/node_modules|^phones/.test(name))
        .map((name) => join(root, folder, name));

const sources = folders.flatMap((folder) => filesOf(folder, /\.tsx?$/));
const schemas = filesOf('src', /\.sql$/);
const outputOf = (file) => join(root, 'dist', file.slice(root.length));

buildSync({
    entryPoints: sources, outbase: root, outdir: join(root, 'dist'), format: 'cjs', platform: 'node', target: 'node20', sourcemap: true, logLevel: 'warning',
    tsconfigRaw: { compilerOptions: { alwaysStrict: true, jsx: 'react-jsx', jsxImportSource: 'preact' } }
});

for (const file of schemas) {
    mkdirSync(dirname(outputOf(file)), { recursive: true });
    copyFileSync(file, outputOf(file));
}

// What has no source any more must not stay. All else stays, because a service may run from it.
const written = new Set([...sources.map((file) => outputOf(file).replace(/\.tsx?$/, '.js')), ...schemas.map(outputOf)]);
for (const folder of ['bench', 'client', 'examples', 'migrations', 'reliability', 'seeds', 'src', 'test', 'tools'].map((name) => join(root, 'dist', name)).filter(existsSync)) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => /\.(?:js|js\.map|sql)$/.test(one))) {
        if (!written.has(join(folder, name.replace(/\.map$/, '')))) {
            rmSync(join(folder, name));
        }
    }
}
