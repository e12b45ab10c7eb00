'use strict';

// Coverage is measured of the whole suite only: `npx lab test/projects/tags.test.ts` runs one file, in seconds.
const whole = !process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'));

const coverage = {
    coverage: true,
    'coverage-all': true,
    'coverage-path': 'src',
    'coverage-pattern': '\\.ts$',
    // 100 again as soon as these branches have tests: src/main.ts 47, bulk/load 59, bulk/results 79, bulk/run 82, bulk/state 109,
    // bulk/validation 55, db/migrate 54, http/read-body 71, http/load/byte-budgets 69, json/unstorable-text 28.
    threshold: 99.7
};

module.exports = {
    transform: require('./tools/test/typescript'),
    sourcemaps: true,
    ...whole && coverage,
    paths: ['test', 'reliability'],
    pattern: '\\.test',
    timeout: 20000,
    leaks: false,
    lint: false
};
