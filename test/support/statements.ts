import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

import type * as Statements from '../../src/database/statements/statement';
import { root } from './program';

/*
 * Prints all statements of the service as JSON, with the file that makes each. A program, because the modules of the service have to be loaded after the function
 * that makes statements has been replaced.
 */

// Not imported, because imports cannot be replaced.
const load = createRequire(__filename);
const statements: typeof Statements = load('../../src/database/statements/statement');

const found: { at: string; text: string }[] = [];
let at = '';
for (const name of ['statement', 'lookup'] as const) {
    const original = statements[name];
    Object.assign(statements, { [name]: (...args: Parameters<typeof original>) => {
        const made = Reflect.apply(original, undefined, args);
        const file = /\((\S+?src\/(?!db\/statement)\S+?\.ts):/.exec(String(new Error().stack))?.[1];
        found.push({ at: relative(root, file ?? at), text: made.text });
        if (made.together) {
            found.push({ at: relative(root, file ?? at), text: made.together.many.text });
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
