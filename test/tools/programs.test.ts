import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { root } from '../support/program';

export const lab = Lab.script();

lab.experiment('programs of benches and reliability', () => {
    lab.test('start others that are there', () => {
        const started = ['bench', 'reliability'].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
            .map((name) => join(folder, name))
            .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
            .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/__dirname, ((?:'[^']*'(?:, )?)+)\)/g)]
                .map(([, parts = '']) => ({ file, path: join(dirname(file), ...parts.replaceAll('\'', '').split(', ')) }))
                .filter(({ path }) => path.endsWith('.js'))));
        // What is built is in dist/, where the folders are as here.
        const missing = started.filter(({ path }) => !existsSync(join(root, path.replace(/^(?:\.\.\/)+/, '').replace(/\.js$/, '.ts'))));
        expect(started.length).to.be.above(8);
        expect(missing).to.equal([]);
    });
});
