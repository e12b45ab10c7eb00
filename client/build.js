/**
 * Builds the package: generates the types of requests and responses from the API description, and `dist/` with the client
 * and the renderer, each as one file for `import` and one for `require`, with its types. `npm run client` makes the description first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { typesOfDescription } from './types.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const [, { buildSync }] = await Promise.all(['@typescript/native', 'esbuild'].map((name) => import(name))).catch((error) => {

    console.error(`The tools that build the client are not there: run "npm ci" in the folder above first. (${error.message})`);
    process.exit(1);
});
writeFileSync(at('src/schema.ts'), `// Generated from openapi.json.\n${typesOfDescription(JSON.parse(readFileSync(at('../openapi.json'), 'utf8')))}`);

for (const folder of ['build', 'dist']) {
    rmSync(at(folder), { recursive: true, force: true });
}

const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('@typescript/native/package.json')));

// The renderer is a module of its own, which the service compiles too, as CommonJS. `npm run typecheck` checks types, which takes twice as long as the rest.
const compiled = await Promise.all(['.', 'src/render'].map((project) => once(spawn(process.execPath, [compiler, '--noCheck', '-p', at(project)], { stdio: 'inherit' }), 'close')));
if (compiled.some(([status]) => status !== 0)) {
    process.exit(1);
}

const packed = [{ name: 'pagewright', code: 'build/index.js', types: 'build' }, { name: 'auth', code: 'build/auth/index.js', types: 'build/auth' }, { name: 'render', code: 'src/render/index.ts', types: 'build/render' }];
const formats = [['esm', 'js', 'd.ts'], ['cjs', 'cjs', 'd.cts']];

/** The declarations of a module and of everything that it imports, each module once. */
const declarationsOf = (folder, module, seen = new Map()) => {

    if (!seen.has(module)) {
        const text = readFileSync(at(`${folder}/${module}.d.ts`), 'utf8');
        seen.set(module, text);
        for (const [, imported] of text.matchAll(/ from '\.\/([\w-]+)(?:\.js)?';$/gm)) {
            declarationsOf(folder, imported, seen);
        }
    }

    return seen;
};

for (const { name, code, types } of packed) {
    // No two modules declare the same name (the compiler would report that), so one file can have all of them and export what the index exports.
    const { index, ...inside } = Object.fromEntries(declarationsOf(types, 'index'));
    const declarations = Object.values(inside).map((text) => text.replace(/^import .*\n|^export \{\};\n/gm, '').replace(/^export /gm, ''));
    for (const [format, extension, typed] of formats) {
        buildSync({ entryPoints: [at(code)], bundle: true, format, target: 'es2022', outfile: at(`dist/${name}.${extension}`), logLevel: 'warning' });
        writeFileSync(at(`dist/${name}.${typed}`), [...declarations, index.replace(/^import .*\n/gm, '').replace(/ from '.*';$/gm, ';')].join(''));
    }
}
