'use strict';

// Compiles TypeScript for tests, one file at a time and without checking types. The output is cached in node_modules/.cache
// by the content of its source: otherwise every process that runs tests would need ten seconds for it.

const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join, relative, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const cache = join(root, 'node_modules/.cache/pagewright-tests');
const made = [readFileSync(__filename), readFileSync(join(root, 'tsconfig.json')), require('typescript/package.json').version].join('\n');

let options;

const compile = function (content, file) {

    const Ts = require('typescript');

    if (options === undefined) {
        const { config } = Ts.readConfigFile(join(root, 'tsconfig.json'), Ts.sys.readFile);
        // Without folders in it, stack traces name the file that was compiled.
        options = {
            ...Ts.parseJsonConfigFileContent(config, { ...Ts.sys, readDirectory: () => [] }, root).options,
            module: Ts.ModuleKind.CommonJS, outDir: undefined, rootDir: undefined,
            sourceMap: false, inlineSourceMap: true, inlineSources: true, removeComments: false
        };
    }

    return Ts.transpileModule(content, { fileName: file, compilerOptions: options }).outputText;
};

const transform = function (content, file) {

    const key = createHash('sha256').update(made).update(relative(root, file)).update(content).digest('hex');
    const kept = join(cache, key.slice(0, 2), `${key}.js`);
    try {
        return readFileSync(kept, 'utf8');
    }
    catch {
        const compiled = compile(content, file);
        mkdirSync(dirname(kept), { recursive: true });
        // Other processes may read or write the same file at the same time.
        writeFileSync(`${kept}.${process.pid}`, compiled);
        renameSync(`${kept}.${process.pid}`, kept);
        return compiled;
    }
};

/** What lab calls `transform`: an option of its own, and of `Lab.coverage`. */
module.exports = [{ ext: '.ts', transform }];

/** Makes `require` compile TypeScript in this process. */
module.exports.register = function () {

    require.extensions['.ts'] = function (module, file) {

        module._compile(transform(readFileSync(file, 'utf8'), file), file);
    };
};
