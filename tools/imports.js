'use strict';

// What may import what (docs/architecture.md). `npm run lint` runs this. An argument names another folder than the repository's.

const { existsSync, readFileSync, readdirSync, statSync } = require('node:fs');
const { builtinModules } = require('node:module');
const { dirname, join, resolve } = require('node:path');

/** The groups of src/ from top to bottom. Each imports only from those below it. */
const groups = ['operations', 'site', 'files', 'community', 'classes', 'projects', 'accounts', 'rules', 'api', 'database', 'config', 'limits'];

const root = resolve(process.argv[2] ?? join(__dirname, '..'));
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isFile = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
const filesIn = (folder) => readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? (entry.name === 'node_modules' ? [] : filesIn(join(folder, entry.name))) : [join(folder, entry.name)]));

/** What a subject lets others say of it is text alone, and anybody may import it: tools/owners.js checks that it brings nothing along. So are the words of publish-levels.ts. */
const isForAnybody = (path) => /\/fragments\.ts$|^src\/classes\/publish-levels\.ts$/.test(path);

const pattern = /^(import|export) (type )?[^'"`;]*?from '([^']+)'|^import '([^']+)'|(typeof )?\b(?:import|require)\('([^']+)'/gm;

/** The imports of a file: of files, by their paths, and of packages, by their names. Those of types alone are `isType`. */
const importsOf = function (file) {

    return [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].flatMap(([, , isTypeImport, from, effects, isTypeOf, called]) => {

        const name = from ?? effects ?? called;
        const path = join(dirname(file), name);
        const to = name.startsWith('.') ? [path, `${path}.ts`, `${path}.tsx`, path.replace(/\.js$/, '.ts'), `${path}/index.ts`].find(isFile) : name;
        return to === undefined || isForAnybody(to) ? [] : [{ to, isPackage: !name.startsWith('.'), isType: (isTypeImport ?? isTypeOf) !== undefined }];
    });
};

/** The imports of each file of the given folders, and of the files that those import. */
const readImports = function (folders) {

    const found = new Map(folders.flatMap(filesIn).filter((file) => /\.(?:ts|tsx|js)$/.test(file) && !isForAnybody(file)).map((file) => [file, undefined]));
    for (const file of found.keys()) {
        found.set(file, /\.(?:ts|tsx|js)$/.test(file) ? importsOf(file) : []);
        found.get(file).filter(({ to, isPackage }) => !isPackage && !found.has(to)).forEach(({ to }) => found.set(to, undefined));
    }

    return found;
};

/** A circle for each place where a walk along the edges of a graph comes back to where it was. */
const circlesIn = function (edges) {

    const seen = new Set();
    const circles = [];
    const walk = (node, path) => {

        if (path.includes(node)) {
            circles.push([...path.slice(path.indexOf(node)), node]);
        }
        else if (!seen.has(node)) {
            seen.add(node);
            edges.get(node)?.forEach((next) => walk(next, [...path, node]));
        }
    };

    [...edges.keys()].forEach((node) => walk(node, []));
    return circles;
};

/** A folder and those that it is in. */
const foldersAbove = (folder) => (folder === '.' ? [] : [folder, ...foldersAbove(dirname(folder))]);

const main = function () {

    const imports = readImports(['src', 'bench', 'reliability', 'web', 'client/src'].filter((folder) => existsSync(join(root, folder))));
    const files = new Map([...imports].map(([file, all]) => [file, new Set(all.filter(({ isPackage }) => !isPackage).map(({ to }) => to))]));
    // A folder imports what is imported by anything in it from outside of it.
    const folders = new Map();
    for (const [file, targets] of files) {
        for (const folder of foldersAbove(dirname(file))) {
            const outside = [...targets].filter((to) => !to.startsWith(`${folder}/`)).map(dirname);
            folders.set(folder, new Set([...folders.get(folder) ?? [], ...outside]));
        }
    }

    const wrong = [
        ...circlesIn(files).map((circle) => `no-circular-files: ${circle.join(' → ')}. Move what both files need into a third one.`),
        ...circlesIn(folders).map((circle) => `no-circular-folders: ${circle.join(' → ')}. Folders import downwards only: move the code to where both can import it.`)
    ];
    const groupOf = (path) => groups.indexOf(/^src\/(\w+)/.exec(path)?.[1]);
    for (const [file, all] of [...imports].filter(([name]) => name.startsWith('src/'))) {
        for (const { to, isPackage, isType } of all) {
            const name = /^(?:@[^/]+\/)?[^/]+/.exec(to)[0];
            if (isPackage && !isType && !name.startsWith('node:') && !name.startsWith('#') && !builtinModules.includes(name) && dependencies[name] === undefined) {
                wrong.push(`no-development-dependencies: ${file} imports ${name}, which is not there where the package is installed. Types may be imported: \`import type\`.`);
            }
            else if (!isPackage && to.startsWith('src/') && groupOf(to) < groupOf(file)) {
                wrong.push(`no-imports-upwards: ${file} imports ${to}. Groups import downwards only: docs/architecture.md lists them in order.`);
            }
            else if (!isPackage && /^(?:test|reliability|bench|tools|client)\//.test(to) && !to.startsWith('client/src/render/')) {
                wrong.push(`no-tests-in-src: ${file} imports ${to}. What runs in production imports nothing from tests and tools; and of the client only what renders pages.`);
            }
        }
    }

    wrong.forEach((line) => console.error(line));
    process.exitCode = wrong.length > 0 ? 1 : 0;
};

main();
