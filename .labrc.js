'use strict';

module.exports = {
    typescript: true,
    coverage: true,
    'coverage-all': true,
    'coverage-path': 'src',
    'coverage-pattern': '\\.ts$',
    threshold: 100,
    paths: ['test', 'reliability'],
    pattern: '\\.test',
    timeout: 20000,
    leaks: false,
    lint: false
};
