import assert from 'node:assert';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

import type { Declared } from '../../src/database/declaration';
import type * as Statements from '../../src/database/statements/statement';
import { root } from './program';

/*
 * Prints all statements of the service as JSON, with the file that makes each. A program, because the modules of the service have to be loaded after the functions
 * that make statements have been replaced.
 */

/** A statement, and the file that declares it. */
export interface Found extends Declared {
    at: string;
    text: string;
}

// Not imported, because imports cannot be replaced, nor can what a module exports: only all of it.
const load = createRequire(__filename);
const statements: typeof Statements = load('../../src/database/statements/statement');
const replaced = { ...statements };
const cached = load.cache[load.resolve('../../src/database/statements/statement')];
assert(cached, 'it is loaded');
cached.exports = replaced;

const found: Found[] = [];
let at = '';
for (const name of ['statement', 'lookup', 'lookupTogether'] as const) {
    const original = statements[name];
    Object.assign(replaced, { [name]: (...args: Parameters<typeof original>) => {
        const made: ReturnType<typeof original> = Reflect.apply(original, undefined, args);
        const file = /\((\S+?src\/(?!database\/statements\/statement)\S+?\.ts):/.exec(String(new Error().stack))?.[1];
        const { text, parameters, columns, place, together } = made;
        found.push({ at: relative(root, file ?? at), text, parameters, columns, place });
        if (together) {
            const { many } = together;
            found.push({ at: relative(root, file ?? at), text: many.text, parameters: many.parameters, columns: many.columns, place: many.place });
        }

        return made;
    } });
}

/** Programs, which would start. */
const programs = ['src/operations/main.ts', 'src/operations/cli/main.ts', 'src/files/thumbnails/file-process.ts', 'src/database/embedded/keep-running.ts'];
for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    const file = join('src', name);
    if (name.endsWith('.ts') && !programs.includes(file)) {
        at = join(root, file);
        load(at);
    }
}

process.stdout.write(JSON.stringify(found), () => process.exit());
