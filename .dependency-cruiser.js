'use strict';

/** The order of the folders: `npm run lint` fails where files or folders import each other in a circle. */
module.exports = {
    forbidden: [
        { name: 'no-circular-files', severity: 'error', comment: 'Two files that import each other cannot be read one at a time.', from: {}, to: { circular: true } },
        { name: 'no-circular-folders', severity: 'error', comment: 'Folders import downwards only: docs/architecture.md lists them in order.', scope: 'folder', from: {}, to: { circular: true } },
        { name: 'no-tests-in-src', severity: 'error', from: { path: '^src' }, to: { path: '^(test|reliability|bench)/' } },
        { name: 'no-development-dependencies', severity: 'error', from: { path: '^src' }, to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] } }
    ],
    options: {
        doNotFollow: { path: 'node_modules' },
        includeOnly: '^(src|migrations|seeds)',
        tsPreCompilationDeps: true,
        tsConfig: { fileName: 'tsconfig.json' }
    }
};
