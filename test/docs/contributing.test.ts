import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { root } from '../support/program';

export const lab = Lab.script();
const { describe, it } = lab;

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
const spread = (path: string): string[] => {
    const [whole, names] = /\{([^{}]+)\}/.exec(path) ?? [];
    return whole === undefined || names === undefined ? [path] : names.split(',').flatMap((name) => spread(path.replace(whole, name)));
};

/** What recipes name as an example of a new file. */
const invented = /NNNN_name|…|\*/;

describe('the guide for contributors', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

    it('names only files and folders that are there', () => {
        const named = [...text.matchAll(/(?:^|[\s`(])((?:src|test|tools|web|client|migrations|docs|bench|reliability|\.ci)\/[\w./{},-]+)/gm)].flatMap(([, path = '']) => spread(path.replace(/[.,]$/, '')));
        expect(named.length).to.be.above(30);
        expect(named.filter((path) => !invented.test(path) && !existsSync(join(root, path)))).to.equal([]);
    });

    it('names only scripts and links that are there', () => {
        const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        const run = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
        expect(run.filter((name) => scripts[name] === undefined)).to.equal([]);
        const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
        expect(links.filter((path) => !existsSync(join(root, path)))).to.equal([]);
    });

    it('leads from each page of the documentation only to what is there', () => {
        const pages = [
            'README.md', 'CHANGELOG.md', 'SECURITY.md', 'client/README.md', 'examples/README.md', 'tools/test/README.md', 'reliability/README.md', 'reliability/attempts.md', 'bench/README.md', 'bench/MEASURED.md',
            ...['docs', 'docs/decisions'].flatMap((folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`))
        ];
        const broken = pages.flatMap((page) => [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].flatMap(([, path = '']) => (existsSync(join(root, dirname(page), path)) ? [] : [`${page}: ${path}`])));
        expect(broken).to.equal([]);
    });
});
