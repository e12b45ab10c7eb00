'use strict';

const BabelParser = require('@babel/eslint-parser');
const HapiPlugin = require('@hapi/eslint-plugin');
const Regexp = require('eslint-plugin-regexp');

const Transactions = require('./tools/transactions.js');

const oneWay = 'Write by `write` or `operatorWrite` (src/rules/write.ts), or give the reason in tools/transactions.js.';

/** The parser that lab brings along. A method without a body gets the name that typescript-eslint has for it: ESLint's rules for functions cannot read it. */
const parser = {
    meta: BabelParser.meta,
    parseForESLint: (code, options) => {

        const result = BabelParser.parseForESLint(code, options);
        const withoutBody = result.scopeManager.scopes.map(({ block }) => block).filter(({ type, body }) => type === 'FunctionExpression' && !body);
        withoutBody.forEach((block) => Object.assign(block, { type: 'TSEmptyBodyFunctionExpression' }));
        return result;
    }
};

const parsed = (...plugins) => ({ parser, sourceType: 'module', parserOptions: { requireConfigFile: false, babelOptions: { babelrc: false, configFile: false, parserOpts: { plugins: ['typescript', ...plugins] } } } });

/** Types that say nothing, or something else than they seem to; and what the compiler lets pass. */
const restricted = [
    { selector: 'TSAnyKeyword', message: 'Say what it is, or `unknown`.' },
    { selector: 'TSTypeReference[typeName.name=/^(Function|String|Number|Boolean|Symbol|BigInt|Object)$/]', message: 'Say how it is called, or take the type in lower case.' },
    { selector: ':not(TSIntersectionType) > TSTypeLiteral[members.length=0], TSInterfaceDeclaration:not([extends.length>1]) > TSInterfaceBody[body.length=0]', message: '`{}` is anything but null and undefined: say `object` or `unknown`.' },
    { selector: 'TSTypeParameter > .constraint:matches(TSAnyKeyword, TSUnknownKeyword)', message: 'Every type extends it.' },
    { selector: 'ChainExpression > TSNonNullExpression, TSNonNullExpression > :matches(MemberExpression[optional=true], CallExpression[optional=true], ChainExpression, TSNonNullExpression)', message: 'What may be missing cannot be declared to be there.' },
    { selector: ':matches(TSModuleDeclaration[id.type="Identifier"]:not([global=true]), TSImportEqualsDeclaration, TSInterfaceBody > TSConstructSignatureDeclaration)', message: 'Use modules, and classes.' },
    { selector: 'VariableDeclarator[id.type="Identifier"][init.type="ThisExpression"]', message: 'Use an arrow function.' },
    { selector: 'CallExpression[callee.name="require"]', message: 'Use `import`.' }
];

module.exports = [
    { ignores: ['dist/**', 'client/build/**', 'client/dist/**', 'client/src/schema.ts', 'node_modules/**', '.data/**', 'coverage/**', '.stryker-tmp/**', 'reports/**', '.cache/**'] },
    ...HapiPlugin.configs.module,
    { files: ['**/*.ts'], languageOptions: parsed() },
    { files: ['**/*.tsx'], languageOptions: parsed('jsx') },
    {
        files: ['**/*.ts', '**/*.tsx'],
        rules: {
            '@hapi/capitalize-modules': 'off',
            '@hapi/scope-start': 'off',
            // A function declared below its first use reads from the top down.
            'func-style': 'off',
            '@hapi/for-loop': 'off',
            // The compiler reports these, in a fifth of the time.
            'no-unused-vars': 'off', 'no-undef': 'off', 'no-redeclare': 'off', 'no-dupe-class-members': 'off', 'strict': 'off',
            'no-unused-expressions': 'error',
            'no-warning-comments': ['error', { terms: ['@ts-ignore', '@ts-nocheck'], location: 'anywhere' }],
            'no-restricted-syntax': ['error', ...restricted]
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
        files: ['src/**/*.{ts,tsx}', 'web/**/*.{ts,tsx}', 'client/src/**/*.ts'],
        ignores: ['src/database/citus/schema-change.ts'],
        rules: {
            'no-restricted-syntax': ['error', ...restricted,
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
    { files: ['bin/*.js'], languageOptions: { ecmaVersion: 5, sourceType: 'commonjs' }, rules: { '@hapi/no-var': 'off', 'prefer-arrow-callback': 'off', '@hapi/scope-start': 'off' } }
];
