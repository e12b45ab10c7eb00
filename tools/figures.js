'use strict';

// How well the house keeps its walls (docs/architecture.md), in figures that a reader can count again. `npm run figures` prints them; `npm run lint` fails where one is worse than `most`.
// Whoever betters a figure lowers its `most`.

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const Transactions = require('./transactions.js');

const root = resolve(__dirname, '..');
/** The files below a folder, without what is installed, built or written by a service. */
const filesIn = (folder) =>

    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {

        const path = join(folder, entry.name);
        return entry.isDirectory() ? (/^(?:node_modules|dist|build|coverage|\..*)$/.test(entry.name) ? [] : filesIn(path)) : [path];
    });

const isCode = (file) => /^(?:src|web|client\/src)\/.*\.tsx?$/.test(file) && file !== 'client/src/schema.ts';
const texts = new Map(filesIn('').filter((file) => isCode(file) || file.endsWith('.md')).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const code = [...texts].filter(([file]) => isCode(file));
const source = code.filter(([file]) => file.startsWith('src/'));

/** The imports of each file of src, of other files there. Fragments and words bring nothing along (tools/owners.js). */
const imports = new Map(source.map(([file, text]) => {

    const targets = [...text.matchAll(/ from '(\.[^']*)'/g)].map(([, path]) => join(dirname(file), path));
    return [file, targets.filter((path) => !/\/(?:fragments|publish-levels)$/.test(path)).flatMap((path) => [`${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((one) => texts.has(one)) ?? [])];
}));

const folderOf = (file) => dirname(file);
const groupOf = (file) => file.split('/')[1];

/** The edges between what files belong to. */
const edgesBetween = function (of) {

    const edges = new Map();
    for (const [file, targets] of imports) {
        const from = of(file);
        edges.set(from, edges.get(from) ?? new Set());
        targets.map(of).filter((to) => to !== from).forEach((to) => edges.get(from).add(to));
    }

    return edges;
};

/** The length of the longest chain of imports; what imports itself in a circle counts once. */
const floors = function (edges) {

    const depths = new Map();
    const depth = (node, path) => {

        if (path.has(node)) {
            return 0;
        }

        if (!depths.has(node)) {
            const below = new Set([...path, node]);
            depths.set(node, 1 + Math.max(0, ...[...edges.get(node) ?? []].map((next) => depth(next, below))));
        }

        return depths.get(node);
    };

    return Math.max(...[...edges.keys()].map((node) => depth(node, new Set())));
};

/** How many files a file imports, also through others. */
const reach = function (file) {

    const seen = new Set([file]);
    for (const one of seen) {
        (imports.get(one) ?? []).forEach((target) => seen.add(target));
    }

    return seen.size - 1;
};

const foldersWith = (pattern) => new Set(source.filter(([, text]) => pattern.test(text)).map(([file]) => folderOf(file))).size;
const table = (name) => foldersWith(new RegExp(`\\b(?:from|join|update|into) ${name}\\b`));
const filesWith = (pattern, ...except) => source.filter(([file, text]) => !except.some((one) => (one.endsWith('/') ? file.startsWith(one) : file === one)) && pattern.test(text)).length;
const matches = (files, pattern) => files.reduce((sum, [, text]) => sum + (text.match(pattern)?.length ?? 0), 0);
const lines = (files) => matches(files, /\n/g);
const groups = edgesBetween(groupOf);
const pairs = new Set([...groups].flatMap(([from, targets]) => [...targets].map((to) => [from, to].sort().join(' '))));

/** Each figure: what it is, how much there is, the most that lint lets pass, and the target. */
const figures = [
    ['folders whose SQL names `users`', table('users'), 6, 4],
    ['folders whose SQL names `projects`', table('projects'), 14, 4],
    ['folders whose SQL names `pages`', table('pages'), 10, 4],
    ['pairs of groups that import each other', pairs.size, 65, 30],
    ['floors of folders', floors(edgesBetween(folderOf)), 23, 12],
    ['floors of files', floors(edgesBetween((file) => file)), 26, 18],
    ...['projects/elements', 'projects/bulk', 'classes/works'].map((name) => {

        const file = `src/${name}/routes.ts`;
        return [`files that ${file} reaches`, reach(file), 135, 60];
    }),
    ['files with a transaction of their own', filesWith(/\b(?:transaction|transact)\(/, ...Object.keys(Transactions.excluded)), 4, 0],
    ['files with `JSON.parse`', filesWith(/\bJSON\.parse\(/), 30, 20],
    ['files with literals of visibilities in SQL', filesWith(/visibility (?:=|<>|in) ?\(?'/, 'src/rules/visibility.ts'), 0, 0],
    // Conversation and fair moderation are on top of the target, which was set before them.
    ['lines of src', lines(source), 58_700, 42_000],
    ['lines of src/api', lines(source.filter(([file]) => file.startsWith('src/api/'))), 9_750, 6_000],
    ['files of more than 250 lines', code.filter(([, text]) => text.split('\n').length > 251).length, 0, 0],
    ['lines of more than 140 letters', matches(code, /^.{141,}$/gm), 4300, 0],
    ['comments that begin with "What" or "The same"', matches(code, /\/\*\* (?:What|The same)\b/g), 0, 0],
    ['words of prose', [...texts].filter(([file]) => file.endsWith('.md')).reduce((sum, [, text]) => sum + text.split(/\s+/).filter(Boolean).length, 0), 50_000, 50_000]
];

console.log(['figure', 'today', 'most', 'target'].join(' | '));
figures.forEach((figure) => console.log(figure.join(' | ')));
const worse = figures.filter(([, today, most]) => today > most);
worse.forEach(([name, today, most]) => console.error(`${name}: ${today}, and ${most} are the most. Mend what was added, or say in the commit why it has to be (tools/figures.js).`));
process.exitCode = worse.length > 0 ? 1 : 0;
