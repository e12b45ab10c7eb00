import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

export const lab = script();

const root = join(__dirname, '../..');

lab.experiment('The lock file', () => {

    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    lab.after(() => rmSync(folder, { recursive: true, force: true }));

    const check = (...args: string[]): { code: number | null; told: string } => {
        const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools/lockfile.js'), ...args], { encoding: 'utf8' });
        return { code: status, told: stderr };
    };

    lab.test('is valid', () => {
        expect(check()).to.equal({ code: 0, told: '' });
    });

    const joi = 'node_modules/joi';
    const wrong: readonly (readonly [string, (packages: Record<string, Record<string, unknown>>) => void, string])[] = [
        ['a package without a hash', (packages) => void delete packages[joi]?.integrity, `${joi} has no SHA-512`],
        ['a package with a weak one', (packages) => void Object.assign(packages[joi] ?? {}, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }), `${joi} has no SHA-512`],
        ['a package from elsewhere', (packages) => void Object.assign(packages[joi] ?? {}, { resolved: 'https://packages.example/joi.tgz' }), `${joi} comes from https://packages.example/joi.tgz`],
        ['a package from a host that begins alike', (packages) => void Object.assign(packages[joi] ?? {}, { resolved: 'https://registry.npmjs.org.example/joi.tgz' }), 'comes from'],
        ['a package under another\'s name', (packages) => void Object.assign(packages[joi] ?? {}, { name: 'joy' }), `${joi} is "joy" under another name`],
        ['another package than the one that is renamed', (packages) => void Object.assign(packages['node_modules/@typescript/native'] ?? {}, { name: 'typoscript' }), 'node_modules/@typescript/native is "typoscript" under another name'],
        ['a folder', (packages) => void Object.assign(packages, { 'other/joi': { link: true } }), 'other/joi is not out of the registry'],
        ['a package that runs something', (packages) => void Object.assign(packages[joi] ?? {}, { hasInstallScript: true }), `${joi} runs something`]
    ];
    for (const [what, change, told] of wrong) {
        lab.test(`fails with ${what}`, () => {
            const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
            change(lock.packages);
            writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
            writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
            const outcome = check(folder);
            expect(outcome.code).to.equal(1);
            expect(outcome.told).to.include(told);
        });
    }

    lab.test('fails with a dependency that is not a version', () => {
        const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        for (const wanted of ['github:someone/joi', 'https://packages.example/joi.tgz', 'file:../joi', 'npm:joy@1', 'latest', '*', '>=1']) {
            writeFileSync(join(folder, 'package-lock.json'), readFileSync(join(root, 'package-lock.json')));
            writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { joi: wanted }, allowScripts }));
            expect(check(folder)).to.equal({ code: 1, told: `package.json wants "${wanted}" for joi, which is no version\n` });
        }

        writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { '@typescript/native': 'npm:typoscript@^7.0.2' }, allowScripts }));
        expect(check(folder)).to.equal({ code: 1, told: 'package.json wants "npm:typoscript@^7.0.2" for @typescript/native, which is no version\n' });
    });
});
