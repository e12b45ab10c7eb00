import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { build, root } from '../support/program';

export const lab = script();

interface Built {
    entries: Record<string, { file: string; imports: string[] }>;
}

/** Most KiB of script that a page loads at once, compressed. */
const limits: Readonly<Record<string, number>> = { 'web/page.ts': 8, 'web/people/person.ts': 8, 'web/player/main.tsx': 35, 'web/editor/main.tsx': 110 };

lab.experiment('The scripts of the site', () => {

    lab.before(() => build());

    lab.test('are small: what only some people need comes later', () => {
        const folder = join(root, 'dist/site');
        const { entries }: Built = JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8'));
        for (const [name, most] of Object.entries(limits)) {
            const files = [...new Set([name, 'web/page.ts'].flatMap((each) => [entries[each]?.file ?? '', ...entries[each]?.imports ?? []]))];
            const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, 'made', file))).length, 0);
            expect(bytes / 1024, name).to.be.between(0.1, most);
        }
    });
});
