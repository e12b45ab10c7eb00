'use strict';

/** The groups of src/ from top to bottom. Each imports only from those below it. */
const groups = ['operations', 'site', 'files', 'community', 'classes', 'projects', 'accounts', 'rules', 'api', 'database', 'config', 'limits'];

/** What may import what. `npm run lint` fails on a file in src/ that breaks one of these. */
module.exports = {
    forbidden: [
        {
            name: 'no-circular-files', severity: 'error', comment: 'Move what both files need into a third one.',
            from: {}, to: { circular: true }
        },
        {
            name: 'no-circular-folders', severity: 'error', scope: 'folder',
            comment: 'Folders import downwards only: docs/architecture.md lists them in order. Move the code to where both can import it.',
            from: {}, to: { circular: true }
        },
        ...groups.slice(1).map((group, above) => ({
            name: `no-imports-upwards-from-${group}`, severity: 'error', comment: 'Groups import downwards only: docs/architecture.md lists them in order.',
            from: { path: `^src/${group}[./]` }, to: { path: `^src/(?:${groups.slice(0, above + 1).join('|')})[./]` }
        })),
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
        // What a subject lets others say of it is text alone, and anybody may import it: tools/owners.js checks that it brings nothing along. So are the words of publish-levels.ts.
        exclude: { path: '/fragments\\.ts$|^src/classes/publish-levels\\.ts$' },
        tsPreCompilationDeps: true,
        tsConfig: { fileName: 'tsconfig.json' }
    }
};
