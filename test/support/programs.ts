import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { Missing } from './missing';
import { root } from './program';

const folder = join(root, 'reliability/programs');

/** A file of a package that only the nightly tests need. @throws Missing where it is not installed */
export function programFile(name: string): string {
    const file = join(folder, 'node_modules', name);
    if (!existsSync(file)) {
        throw new Missing(`${name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')} (npm ci --prefix reliability/programs)`);
    }

    return file;
}

/** Loads such a package. */
export function loadProgram<Library>(name: string): Library {
    programFile(name);
    const load: (path: string) => Library = createRequire(join(folder, 'package.json'));
    return load(name);
}
