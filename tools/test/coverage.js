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

/** Adds what another process has counted. */
const add = function (files) {

    const own = global.__$$labCov.files;
    for (const [name, { lines, statements, ...rest }] of Object.entries(files)) {
        const file = own[name] ??= { ...rest, lines: {}, statements: {} };
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

/** The percentage of lines whose branches were all run, and the others by file. Files that nothing has loaded count as well. */
exports.report = async function (folder, others) {

    // Reads the files that this process has not loaded: without their source, nothing in them would count.
    await Lab.coverage.analyze(settings(folder));
    others.forEach(add);
    const { percent, files } = await Lab.coverage.analyze(settings(folder));
    const missing = files.map(({ filename, source }) => ({
        file: relative(process.cwd(), join(process.cwd(), filename)),
        lines: [...new Set(Object.values(source).filter(({ miss }) => miss).map(({ originalLine }) => originalLine))].sort((a, b) => a - b)
    }));
    return { percent, missing: missing.filter(({ lines }) => lines.length > 0) };
};
