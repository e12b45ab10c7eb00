'use strict';

/** What may import what. `npm run lint` fails on a file in src/ that breaks one of these. */
module.exports = {
    forbidden: [
        {
            name: 'no-circular-files', severity: 'error', comment: 'Move what both files need into a third one.',
            from: { path: '^src' }, to: { circular: true }
        },
        {
            name: 'no-circular-folders', severity: 'error', scope: 'folder',
            comment: 'Folders import downwards only: docs/architecture.md lists them in order. Move the code to where both can import it.',
            from: { path: '^src' }, to: { circular: true }
        },
        {
            name: 'no-tests-in-src', severity: 'error', comment: 'What runs in production imports nothing from tests and tools; and of the client only what renders pages.',
            from: { path: '^src' }, to: { path: '^(test|reliability|bench|tools|client)/', pathNot: '^client/src/render/' }
        },
        {
            name: 'no-development-dependencies', severity: 'error', comment: 'It is not there where the package is installed. Types may be imported: `import type`.',
            from: { path: '^src' }, to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] }
        }
    ],
    options: {
        doNotFollow: { path: 'node_modules' },
        tsPreCompilationDeps: true,
        tsConfig: { fileName: 'tsconfig.json' }
    }
};
