'use strict';

// Compiles TypeScript for tests, one file at a time and without checking types. The output is cached in the folder .cache
// by the content of its source: otherwise every process that runs tests would need ten seconds for it.

const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, extname, join, relative, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const cache = join(root, '.cache/tests');
const made = [readFileSync(__filename), readFileSync(join(__dirname, 'coverage.js')), readFileSync(join(root, 'tsconfig.json')), require('esbuild/package.json').version].join('\n');

/** Comments that tell lab what needs no coverage. esbuild leaves out comments, and keeps texts. */
const comment = /\/\* (\$lab:coverage:\w+\$) \*\//g;
const text = /^( *);?(\n? *)"(\$lab:coverage:\w+\$)";/gm;

/** How a file begins: with esbuild's own functions for imports and exports, which lab would break and count. Everything here keeps the numbers of lines. */
const beginning = /^"use strict";\n(var __[^]*?\nmodule\.exports = __toCommonJS\(\w+\);)$/m;

/** A file that needs no coverage from its beginning: esbuild has put its imports before that. */
const whole = /((?:^var import_.*\n)+\n*)\/\* \$lab:coverage:off\$ \*\//m;

/** It writes `void 0` for `undefined`, which lab would count as an expression. */
const compile = function (content, file) {

    return require('esbuild').transformSync(content.replace(comment, ';"$1";'), {
        loader: extname(file).slice(1), format: 'cjs', target: `node${process.versions.node}`, sourcefile: file, sourcemap: 'inline', sourcesContent: true,
        tsconfigRaw: { compilerOptions: { alwaysStrict: true, jsx: 'react-jsx', jsxImportSource: 'preact' } }
    }).code.replace(text, '$1$2/* $3 */')
        .replace(beginning, '"use strict"; /* $lab:coverage:push$ */ /* $lab:coverage:off$ */\n$1 /* $lab:coverage:pop$ */')
        .replace(whole, '/* $lab:coverage:off$ */ $1').replaceAll('void 0', 'undefined');
};

const placeOf = function (content, file) {

    const key = createHash('sha256').update(made).update(relative(root, file)).update(content).digest('hex');
    return join(cache, key.slice(0, 2), `${key}.js`);
};

/** The output for a source, which must be in the cache. */
const kept = (content, file) => readFileSync(placeOf(content, file), 'utf8');

/** Writes the output for a source into the cache. */
const keep = function (content, file, compiled) {

    const place = placeOf(content, file);
    mkdirSync(dirname(place), { recursive: true });
    // Other processes may read or write the same file at the same time.
    writeFileSync(`${place}.${process.pid}`, compiled);
    renameSync(`${place}.${process.pid}`, place);
};

const transform = function (content, file) {

    try {
        return kept(content, file);
    }
    catch {
        const compiled = compile(content, file);
        keep(content, file, compiled);
        return compiled;
    }
};

/** What lab calls `transform`: an option of its own, and of `Lab.coverage`. */
module.exports = [{ ext: '.ts', transform }, { ext: '.tsx', transform }];

module.exports.kept = kept;

module.exports.keep = keep;

/** Makes `require` compile TypeScript in this process. */
module.exports.register = function () {

    for (const { ext } of module.exports) {
        require.extensions[ext] = function (module, file) {

            module._compile(transform(readFileSync(file, 'utf8'), file), file);
        };
    }
};
