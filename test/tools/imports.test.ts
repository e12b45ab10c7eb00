import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

export const lab = script();

const root = join(__dirname, '../..');

lab.experiment('Imports', () => {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    lab.after(() => rmSync(folder, { recursive: true, force: true }));

    /** What is said of a repository with these files. */
    const faultsOf = (files: Readonly<Record<string, string>>): string[] => {
        rmSync(join(folder, 'src'), { recursive: true, force: true });
        for (const [name, text] of Object.entries({ 'package.json': '{ "dependencies": { "joi": "1" } }', ...files })) {
            mkdirSync(dirname(join(folder, name)), { recursive: true });
            writeFileSync(join(folder, name), text);
        }

        const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools/imports.js'), folder], { encoding: 'utf8' });
        expect(status).to.equal(stderr === '' ? 0 : 1);
        return stderr.split('\n').filter((line) => line !== '').map((line) => line.replace(/\. .*/, ''));
    };

    lab.test('may lead downwards, to packages that are there, and to types of all others', () => {
        expect(faultsOf({
            'src/site/page.ts': `import { a } from '../rules/a';\nimport joi from 'joi';\nimport { readFileSync } from 'node:fs';\nimport type { Thing } from 'elsewhere';\ntype Other = typeof import('elsewhere/other');`,
            'src/rules/a.ts': `import { words } from '../site/fragments';\nexport const a = words;`,
            'src/site/fragments.ts': `export const words = '';`
        })).to.equal([]);
    });

    const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
        ['a circle of files', { 'src/api/a.ts': `import type { B } from './b';`, 'src/api/b.ts': `import {\n    C\n} from './c';`, 'src/api/c.ts': `export { A } from './a';` },
            'no-circular-files: src/api/a.ts → src/api/b.ts → src/api/c.ts → src/api/a.ts'],
        ['a circle of folders', { 'src/api/one/a.ts': `import { b } from '../two/b';`, 'src/api/two/b.ts': '', 'src/api/two/c.ts': `import { d } from '../one/d';`, 'src/api/one/d.ts': '' },
            'no-circular-folders: src/api/one → src/api/two → src/api/one'],
        ['a circle through what is in a folder', { 'src/api/one/a.ts': `import { b } from '../two/b';`, 'src/api/two/b.ts': '', 'src/api/two/three/c.ts': `import { d } from '../../one/d';`, 'src/api/one/d.ts': '' },
            'no-circular-folders: src/api/one → src/api/two → src/api/one'],
        ['a group above', { 'src/rules/a.ts': `const site = require('../site/index');`, 'src/site/index.ts': '' }, 'no-imports-upwards: src/rules/a.ts imports src/site/index.ts'],
        ['tests', { 'src/api/a.ts': `import { b } from '../../test/b';`, 'test/b.ts': '' }, 'no-tests-in-src: src/api/a.ts imports test/b.ts'],
        ['a package of development', { 'src/api/a.ts': `const load = () => import('elsewhere/file.js');` }, 'no-development-dependencies: src/api/a.ts imports elsewhere, which is not there where the package is installed']
    ];
    for (const [what, files, told] of wrong) {
        lab.test(`are rejected if they lead to ${what}`, () => {
            expect(faultsOf(files)).to.equal([told]);
        });
    }
});
