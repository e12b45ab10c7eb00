'use strict';

// The walls between subjects (docs/decisions/fragments-of-owners.md): SQL in src/ names a table only in the folder of its owner; everybody else takes the `fragments.ts` of that folder.
// `npm run lint` runs this. `node tools/owners.js FOLDER` prints where the SQL of a folder names tables of others.

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const root = resolve(__dirname, '..');

/** Folders of one subject: what is in a class, what is in or of a project; authorization/ speaks OAuth for apps. */
const subjects = { 'src/classes': ['src/classes'], 'src/projects': ['src/projects'], 'src/accounts/apps': ['src/accounts/apps', 'src/accounts/authorization'] };

/** Where a folder may name tables of an owner, of all if it says `*`: how often at most, and why. Whoever names fewer lowers the number. */
const exceptions = [
    ['src/rules', 'src/projects', 36, 'the rules of authoring are about these tables: chain, change set, states, credits'],
    ['src/operations/maintenance', '*', Infinity, 'it removes what has expired, of all subjects'],
    ['src/database/citus', '*', Infinity, 'it says which tables are in shards, and rewrites statements for them'],
    ['src/files/exports', 'src/classes', 9, 'an export copies row by row what is of a class or a person'],
    ['src/files/exports', 'src/community/collections', 2, 'the same'],
    ['src/files/exports', 'src/files/assets', 6, 'the same'],
    ['src/files/exports', 'src/projects', 3, 'the same'],
    ['src/operations/cli', 'src/projects', 8, '`assets lift` rewrites pages and elements; `show` lists what is in the trash'],
    ['src/operations/cli', 'src/operations/maintenance', 1, 'a backup is noted for the metrics'],
    ['src/community/administration', 'src/operations/maintenance', 2, 'the staff sees the maintenance, and asks for it'],
    ['src/accounts/users', 'src/accounts/tokens', 1, 'an account and its first token are one statement'],
    ['src/accounts/apps', 'src/accounts/tokens', 6, 'a token of an app is stored together with its authorization'],
    ['src/accounts/authorization', 'src/accounts/tokens', 1, 'claims are of the token of an authorization'],
    ['src/accounts/mail', 'src/accounts/users', 3, 'who gets a mail'],
    ['src/accounts/webhooks', 'src/accounts/users', 2, 'who is told'],
    ['src/accounts/webhooks', 'src/projects', 2, 'of which projects'],
    ['src/community/search', 'src/accounts/users', 3, 'what is indexed'],
    ['src/community/search', 'src/projects', 2, 'the same'],
    ['src/files/thumbnails', 'src/projects', 8, 'what a thumbnail is drawn of'],
    ['src/files/thumbnails', 'src/files/assets', 3, 'the assets on it'],
    ['src/projects', 'src/community/discovery', 11, 'the public lists of projects read what discovery keeps for them'],
    ['src/projects/lineage', 'src/community/discovery', 1, 'the same'],
    ['src/community/administration', 'src/accounts/users', 5, 'the staff makes codes for signing up']
];
const MAX_EXCEPTIONS = 25;

const filesIn = (folder) => readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
const files = filesIn('src');
const textOf = (file) => readFileSync(join(root, file), 'utf8');
const isIn = (file, folder) => file.startsWith(`${folder}/`);
const subjectOf = (folder) => Object.entries(subjects).find(([, folders]) => folders.some((one) => isIn(`${folder}/`, one)))?.[0] ?? folder;

/** The owner of each table: the folder of the schema.sql that creates it. */
const owners = new Map();
for (const file of files.filter((one) => one.endsWith('/schema.sql'))) {
    for (const [, table] of textOf(file).matchAll(/^create (?:unlogged )?table (?:if not exists )?(?:public\.)?(\w+)/gim)) {
        owners.set(table, subjectOf(dirname(file)));
    }
}

const wrong = [];
const naming = new RegExp(`\\b(?:from|join|update|insert into|using) (?:only )?(${[...owners.keys()].join('|')})\\b`, 'g');
/** Code without its comments, with the same lines. */
const codeOf = (file) => textOf(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ''));

/** Where each folder names tables of each other owner. */
const found = new Map();
for (const file of files.filter((one) => /\.tsx?$/.test(one))) {
    const code = codeOf(file);
    for (const { 1: table, index } of code.matchAll(naming)) {
        const owner = owners.get(table);
        if (!(subjects[owner] ?? [owner]).some((folder) => isIn(file, folder))) {
            const key = exceptions.some(([folder, of]) => folder === dirname(file) && of === '*') ? `${dirname(file)} *` : `${dirname(file)} ${owner}`;
            found.set(key, [...found.get(key) ?? [], `${file}:${code.slice(0, index).split('\n').length} names ${table} of ${owner}`]);
        }
    }

    // What anybody may import brings nothing along.
    if (file.endsWith('/fragments.ts')) {
        const others = [...code.matchAll(/ from '([^']+)'/g)].map(([, path]) => path).filter((path) => !/(?:\/fragments|\/statements\/(?:deletion|json-sql)|\/limits)$/.test(path));
        wrong.push(...others.map((path) => `${file} imports ${path}: fragments are text, and import only fragments, deletion.ts, json-sql.ts and limits.ts.`));
    }
}

const most = new Map(exceptions.map(([folder, owner, number]) => [`${folder} ${owner}`, number]));
for (const [key, places] of found) {
    if (places.length > (most.get(key) ?? 0)) {
        wrong.push(`${places.join('\n')}\n  Take fragments of the owner, or add one to them. ${most.get(key) ?? 0} are the most (tools/owners.js).`);
    }
}

wrong.push(...exceptions.length > MAX_EXCEPTIONS ? [`${exceptions.length} exceptions, and ${MAX_EXCEPTIONS} are the most (tools/owners.js).`] : []);

const [wanted] = process.argv.slice(2);
if (wanted !== undefined) {
    [...found].filter(([key]) => key.startsWith(wanted)).forEach(([, places]) => console.log(places.join('\n')));
}

wrong.forEach((line) => console.error(line));
process.exitCode = wrong.length > 0 ? 1 : 0;
