'use strict';

// Lab's coverage, added up over several processes. Lab keeps what it counts in a global of its own, which is not documented:
// test/tools/test-runner.test.ts fails if an upgrade of lab changes it.

const { join, relative } = require('node:path');

const Lab = require('@hapi/lab');

const Typescript = require('./typescript');

const settings = (folder) => ({
    coveragePath: folder,
    coverageExclude: ['node_modules'],
    coveragePattern: /\.ts$/,
    'coverage-all': true,
    sourcemaps: true,
    transform: Typescript
});

/** From now on, `require` counts in every file below the folder which lines and which branches are run. */
exports.start = (folder) => Lab.coverage.instrument(settings(folder));

/** What was counted in this process so far, as plain data. */
exports.counted = () => global.__$$labCov.files;

/** Adds what another process has counted of files that this one has loaded too. */
const add = function (files) {

    for (const [name, { lines, statements }] of Object.entries(files)) {
        const file = global.__$$labCov.files[name];
        if (file === undefined) {
            continue;
        }

        for (const [line, hits] of Object.entries(lines)) {
            file.lines[line] = (file.lines[line] ?? 0) + hits;
        }

        for (const [line, branches] of Object.entries(statements)) {
            file.statements[line] ??= {};
            for (const [id, { hit, ...branch }] of Object.entries(branches)) {
                file.statements[line][id] = { ...branch, hit: { ...file.statements[line][id]?.hit, ...hit } };
            }
        }
    }
};

/**
 * Reports every file below the folder: how many of its lines were run, with all branches, and which were not. Only a process that has
 * loaded a file knows it well enough; `isLoaded` says so.
 */
exports.report = async function (folder, others) {

    const own = new Set(Object.keys(global.__$$labCov.files));
    others.forEach(add);
    const { files } = await Lab.coverage.analyze(settings(folder));
    return files.map(({ filename, hits, sloc, source }) => {

        const path = join(process.cwd(), filename);
        return {
            file: relative(process.cwd(), path),
            isLoaded: own.has(path),
            hits,
            sloc,
            lines: [...new Set(Object.values(source).filter(({ miss }) => miss).map(({ originalLine }) => originalLine))].sort((a, b) => a - b)
        };
    });
};

/** Puts together what all processes report. */
exports.together = function (reports) {

    const files = new Map();
    for (const one of reports.flat()) {
        if (one.isLoaded || !files.has(one.file)) {
            files.set(one.file, one);
        }
    }

    const sum = (name) => [...files.values()].reduce((total, file) => total + file[name], 0);
    return { percent: 100 * sum('hits') / sum('sloc'), missing: [...files.values()].filter(({ lines }) => lines.length > 0) };
};
