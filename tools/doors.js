'use strict';

// The door of a subject: whoever is outside of a folder that has an `index.ts` imports that, its `fragments.ts`, and no other file of it. A door has at most ten exports.
// `npm run lint` runs this.

const { readFileSync, readdirSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const MAX_EXPORTS = 10;

/** What may be imported beside the doors: by whom (a folder or file, or a part of its path), which file, and why. */
const exceptions = [
    ['src/community/moderation/', 'src/community/statements/json', 'appeals are decided where the acts are that they undo'],
    ['src/community/moderation/', 'src/community/statements/summary', 'the summary is shown to moderators'],
    ['src/community/moderation/', 'src/community/statements/making', 'types alone'],
    ['src/community/moderation/', 'src/community/statements/queries', 'types alone'],
    ['src/operations/server.ts', 'src/community/statements/routes', 'the door has as many exports as it may']
];
const root = resolve(__dirname, '..');
const filesIn = (folder) => readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
const files = filesIn('src').filter((file) => /\.tsx?$/.test(file));
const textOf = (file) => readFileSync(join(root, file), 'utf8');
const doors = files.filter((file) => /^src\/(?:accounts|classes|community|files|projects)\/.+\/index\.ts$/.test(file));
const subjects = doors.map(dirname);
const subjectOf = (path) => subjects.find((folder) => path === folder || path.startsWith(`${folder}/`));

const wrong = [];
for (const file of files) {
    for (const [, path] of textOf(file).matchAll(/ from '(\.[^']*)'/g)) {
        const target = join(dirname(file), path);
        const subject = subjectOf(target);
        if (subject !== undefined && subjectOf(file) !== subject && target !== subject && !/\/(?:index|fragments)$/.test(target) && !exceptions.some(([from, to]) => file.startsWith(from) && target === to)) {
            wrong.push(`${file} imports ${target}: take it from the door, ${subject}/index.ts, or let the subject do it.`);
        }
    }
}

for (const door of doors) {
    const names = [...textOf(door).matchAll(/^export (?:type )?\{([^}]*)\}|^export (?:async )?(?:const|function|interface|type|class) (\w+)/gm)].flatMap(([, list, name]) => (name === undefined ? list.split(',').filter((one) => one.trim() !== '') : [name]));
    if (names.length > MAX_EXPORTS || /^export \*/m.test(textOf(door))) {
        wrong.push(`${door} exports ${names.length} names, or all of a file: a door has at most ${MAX_EXPORTS}, each by its name.`);
    }
}

wrong.forEach((line) => console.error(line));
process.exitCode = wrong.length > 0 ? 1 : 0;
