'use strict';

// For `npx lab FILE…`, which runs test files one after the other, without coverage unless `-c` is given.
// `npm test` runs all of them side by side, by tools/test.
module.exports = {
    transform: require('./tools/test/typescript'),
    sourcemaps: true,
    'coverage-path': 'src',
    paths: ['test', 'reliability'],
    pattern: '\\.test',
    // Milliseconds. Far more than any takes on a machine that is busy with other things: it ends only what hangs.
    timeout: 600000,
    'context-timeout': 600000,
    leaks: false,
    lint: false
};
