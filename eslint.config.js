'use strict';

const HapiPlugin = require('@hapi/eslint-plugin');
const Regexp = require('eslint-plugin-regexp');
const TsEslint = require('typescript-eslint');

const Transactions = require('./tools/transactions.js');

const oneWay = 'Write by `write` or `operatorWrite` (src/rules/write.ts), or give the reason in tools/transactions.js.';

module.exports = [
    { ignores: ['dist/**', 'client/build/**', 'client/dist/**', 'client/src/schema.ts', 'node_modules/**', '.data/**', 'coverage/**', '.stryker-tmp/**', 'reports/**', '.cache/**'] },
    ...HapiPlugin.configs.module,
    ...TsEslint.configs.recommended.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
    {
        files: ['**/*.ts', '**/*.tsx'],
        languageOptions: { parser: TsEslint.parser },
        rules: {
            '@hapi/capitalize-modules': 'off',
            '@hapi/scope-start': 'off',
            // A function declared below its first use reads from the top down.
            'func-style': 'off',
            '@hapi/for-loop': 'off',
            '@typescript-eslint/no-explicit-any': 'error',
            // The compiler reports these, in a fifth of the time.
            '@typescript-eslint/no-unused-vars': 'off'
        }
    },
    {
        // The regular expressions read what clients send. test/patterns.test.ts has those that are built from parts.
        files: ['src/**'],
        plugins: { regexp: Regexp },
        rules: {
            'max-lines': ['error', 250],
            'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
            'regexp/no-super-linear-move': ['error', { report: 'potential' }]
        }
    },
    {
        // Each of these hides from the compiler that a value may have no such field, or may not be there: `fieldOf` and `isObject` ask. A proxy has to pass on what is read.
        files: ['src/**', 'web/**', 'client/src/**'],
        ignores: ['src/database/citus/schema-change.ts'],
        rules: {
            'no-restricted-syntax': ['error',
                { selector: 'MemberExpression[object.name="Reflect"][property.name=/^(get|set|has|deleteProperty)$/]', message: 'Use `fieldOf` (src/api/json/is-object.ts), a type guard or `Object.assign`.' },
                { selector: 'CallExpression[callee.name="Object"]', message: 'Use `isObject` or `fieldOf` (src/api/json/is-object.ts).' }
            ]
        }
    },
    {
        files: ['src/**'],
        ignores: [...Object.keys(Transactions.excluded).map((name) => (name.endsWith('/') ? `${name}**` : name)), ...Transactions.background],
        rules: {
            'no-restricted-imports': ['error', { patterns: [{ group: ['**/statements/transaction'], message: oneWay }] }],
            'no-restricted-properties': ['error', { property: 'transaction', message: oneWay }]
        }
    },
    // Scenario tables define a test in each turn of a loop.
    { files: ['test/**/*.ts', 'reliability/**/*.ts'], rules: { 'no-loop-func': 'off' } },
    { files: ['client/*.js'], languageOptions: { sourceType: 'module' } },
    {
        files: ['examples/editor/*.js'],
        languageOptions: { sourceType: 'module', globals: Object.fromEntries(['addEventListener', 'crypto', 'document', 'localStorage', 'location', 'navigator', 'removeEventListener'].map((name) => [name, 'readonly'])) },
        rules: { '@hapi/scope-start': 'off' }
    },
    // Old versions of Node.js must be able to parse these files, to report that they are too old.
    { files: ['bin/*.js'], languageOptions: { ecmaVersion: 5, sourceType: 'commonjs' }, rules: { '@hapi/no-var': 'off', 'prefer-arrow-callback': 'off', '@hapi/scope-start': 'off' } },
    { files: ['**/*.js'], rules: { '@typescript-eslint/no-require-imports': 'off' } }
];
