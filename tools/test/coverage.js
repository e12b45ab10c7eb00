'use strict';

// Lab's coverage, counted in several processes. The test runner lets lab add its counters to all of src once (`prepare`), with what
// lab calls for each line and branch replaced by an entry in an array: that takes the tests half as long. The processes that
// run the tests load the result from the cache (`load`), and the runner adds up what they have counted (`report`).
// How lab writes its calls, and where it keeps what it counts, is not documented: test/tools/test-runner.test.ts fails if an upgrade changes it.

const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { setImmediate: turn } = require('node:timers/promises');

const Typescript = require('./typescript');

/** What is counted in this process: for each file, the lines that were run, and the results of each branch (1: false, 2: true). */
const counted = global.__counted = {};

/** Starts to count in a file. The compiled file calls it. */
global.__count = function (file, lines, branches) {

    const { line, branch } = counted[file] ??= { line: new Uint8Array(lines), branch: new Uint8Array(branches) };
    return {
        $line: line,
        $branch: branch,
        // Run at all is enough.
        $any: (id, value) => {

            branch[id] = 3;
            return value;
        },
        $bool: (id, value) => {

            branch[id] |= value ? 2 : 1;
            return value;
        },
        $nullish: (id, value) => {

            branch[id] |= value === null || value === undefined ? 1 : 2;
            return value;
        }
    };
};

const kinds = new Map([[false, '$any'], [true, '$bool'], ['nullish', '$nullish']]);

/** Replaces lab's calls by those above. */
const quick = function (instrumented, file, { lines, statements }) {

    const branches = Object.assign({}, ...Object.values(statements));
    const last = (numbers) => 1 + Math.max(0, ...Object.keys(numbers).map(Number));
    const code = instrumented
        .replace(/global\.__\$\$labCov\._line\('[^']+',(\d+)\);/g, '$$line[$1]=1;')
        // The first statement of a function.
        .replace(/global\.__\$\$labCov\._statement\('[^']+', (\d+), \d+, true\); /g, '($$branch[$1]=3,true); ')
        .replace(/global\.__\$\$labCov\._statement\('[^']+', ?(\d+), ?\d+, ?/g, (_call, id) => `${kinds.get(branches[id].bool)}(${id},`);
    const start = '"use strict";';
    if (!code.startsWith(start) || code.includes('__$$labCov')) {
        throw new Error(`Lab has written something else than expected into ${file}`);
    }

    return `${start}const {$line,$branch,$any,$bool,$nullish}=global.__count(${JSON.stringify(file)},${last(lines)},${last(branches)});${code.slice(start.length)}`;
};

const settings = (folder) => ({
    coveragePath: folder,
    coverageExclude: ['node_modules'],
    coveragePattern: /\.tsx?$/,
    'coverage-all': true,
    sourcemaps: true,
    transform: Typescript
});

const counters = 'with counters\n';

/** Adds counters to every file below the folder, for the processes that {@link load} them. */
exports.prepare = async function (folder) {

    const compilers = Typescript.map(({ ext }) => [ext, require.extensions[ext]]);
    await require('@hapi/lab').coverage.instrument(settings(folder));
    // Lab's does the same for each extension.
    const instrument = require.extensions['.ts'];
    for (const [ext, compile] of compilers) {
        require.extensions[ext] = compile;
    }

    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) => /\.tsx?$/.test(each))) {
        const file = join(folder, name);
        const _compile = (code) => Typescript.keep(counters + readFileSync(file, 'utf8'), file, quick(code, file, global.__$$labCov.files[file]));
        instrument({ _compile }, file);
        // It takes seconds; other work of this process goes on meanwhile.
        await turn();
    }
};

/** From now on, `require` counts in every file below the folder which lines and which branches are run. */
exports.load = function (folder) {

    for (const { ext } of Typescript) {
        const compile = require.extensions[ext];
        require.extensions[ext] = function (module, file) {

            if (!file.startsWith(`${folder}/`)) {
                return compile(module, file);
            }

            module._compile(Typescript.kept(counters + readFileSync(file, 'utf8'), file), file);
        };
    }
};

/** What was counted in this process so far, as plain data. */
exports.counted = () => Object.fromEntries(Object.entries(counted).map(([file, { line, branch }]) => [file, { line: [...line], branch: [...branch] }]));

/** Adds what a process has counted to what lab knows of each file. */
const add = function (files) {

    for (const [name, { line, branch }] of Object.entries(files)) {
        const { lines, statements } = global.__$$labCov.files[name];
        for (const number of Object.keys(lines)) {
            lines[number] += line[number];
        }

        for (const [id, { hit }] of Object.values(statements).flatMap((each) => Object.entries(each))) {
            hit.false ||= (branch[id] & 1) !== 0;
            hit.true ||= (branch[id] & 2) !== 0;
        }
    }
};

/** How much of the folder was run, by what each process has counted, and the files of which it was not all. */
exports.report = async function (folder, processes) {

    processes.forEach(add);
    const { percent, files } = await require('@hapi/lab').coverage.analyze(settings(folder));
    const missing = files.map(({ filename, source }) => ({
        file: relative(process.cwd(), join(process.cwd(), filename)),
        lines: [...new Set(Object.values(source).filter(({ miss }) => miss).map(({ originalLine }) => originalLine))].sort((a, b) => a - b)
    }));
    return { percent, missing: missing.filter(({ lines }) => lines.length > 0) };
};
