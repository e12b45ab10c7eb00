'use strict';

// A process that runs test files, one after the other, as the test runner (main.ts) tells it to.

const { resolve } = require('node:path');
const { inspect } = require('node:util');

const Code = require('@hapi/code');
const Lab = require('@hapi/lab');

const Coverage = require('./coverage');
const Typescript = require('./typescript');
const Settings = require('../../.labrc');

// Lab requests complete stack traces, which would slow down the thousands of errors that tests create.
Error.stackTraceLimit = 30;

// Each `expect` would get a stack trace to see where it is, which takes a fortieth of the time of all tests. Lab needs it only to name incomplete assertions.
Code.thrownAt = () => ({});

const root = resolve(__dirname, '../..');
const source = resolve(root, 'src');

const send = (message) => process.send(JSON.stringify(message));

/** A failure, as it is printed. */
const wordsOf = function (title, error) {

    const { message = String(error), stack = '', actual, expected } = error;
    const compared = expected === undefined ? [] : [`actual: ${inspect(actual, { depth: 8 })}`, `expected: ${inspect(expected, { depth: 8 })}`];
    // Calls inside of Node and of packages say nothing about the failure.
    const calls = stack.split('\n').filter((line) => /^ +at /.test(line) && !/node:|node_modules/.test(line)).slice(0, 6);
    return [title, ...[message, ...compared].map((part) => part.replace(/^/gm, '    ')), ...calls].join('\n').slice(0, 20_000);
};

const execute = async function (file) {

    try {
        const { lab } = require(resolve(root, file));

        // What failed is sent at once, for the case that the file does not end.
        return await Lab.execute(lab, Settings, { start: () => undefined, test: ({ title, err }) => err && send({ failing: wordsOf(title, err) }) });
    }
    catch (error) {
        return { tests: [], errors: [error] };
    }
};

/** What the tests of a file need and this machine lacks; test/support/missing.ts throws it. In continuous integration that is a failure. */
const missingIn = (errors) => (process.env.CI === 'true' ? undefined : errors.map(({ missing }) => missing).find((what) => what !== undefined));

const run = async function (file) {

    const used = process.cpuUsage();
    const began = performance.now();
    const { tests, errors } = await execute(file);
    const { user, system } = process.cpuUsage(used);
    const missing = missingIn([...errors, ...tests.map(({ err }) => Object(err))]);
    const failed = missing === undefined ? tests.filter(({ err }) => err) : [];
    const skipped = missing !== undefined ? tests.map(({ title }) => ({ title, options: { reason: missing } })) : tests.filter(({ skipped: isSkipped, todo }) => isSkipped || todo);
    send({
        done: {
            passed: tests.length - failed.length - skipped.length,
            failed: failed.length,
            skipped: skipped.map(({ title, options }) => (options.reason === undefined ? title : `${title} (${options.reason})`)),
            // An error in a `before` or an `after` belongs to no test, and is why tests have failed that only say so.
            failures: missing === undefined ? [...errors.map((error) => wordsOf('Before or after the tests', error)), ...failed.map(({ title, err }) => wordsOf(title, err))] : [],
            missing,
            seconds: (performance.now() - began) / 1000,
            cpu: (user + system) / 1e6
        }
    });
};

const orders = {
    run: ({ file }) => run(file),
    count: () => send({ counted: Coverage.counted() })
};

const main = function () {

    process.setSourceMapsEnabled(true);
    Typescript.register();
    if (process.argv.includes('--coverage')) {
        Coverage.load(source);
    }

    // Messages without `order` are replies to a test file: test/support/runner.ts reads them.
    process.on('message', (message) => {

        const { order, ...rest } = JSON.parse(message);
        orders[order]?.(rest);
    });
    process.on('disconnect', () => process.exit(1));
    send({ ready: true });
};

main();
