'use strict';

// Coverage is measured of the whole suite only: `npx lab test/projects/tags.test.ts` runs one file, in seconds.
const whole = !process.argv.slice(2).some((argument) => argument.endsWith('.test.ts'));

const coverage = {
    coverage: true,
    'coverage-all': true,
    'coverage-path': 'src',
    'coverage-pattern': '\\.ts$',
    threshold: 100
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
