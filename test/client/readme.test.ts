import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { startProduct } from '../support/product';
import type { Product } from '../support/product';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const root = resolve(__dirname, '../..');

describe('the README of the client', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    let test: Product;

    before(async () => {
        test = await startProduct();
        mkdirSync(join(folder, 'node_modules'));
        symlinkSync(join(root, 'client'), join(folder, 'node_modules/pagewright-client'));
    });

    after(async () => {
        rmSync(folder, { recursive: true });
        await test?.stop();
    });

    it('has a first project in ten lines, and snippets that continue it', async () => {
        const [first = '', ...others] = [...readFileSync(join(root, 'client/README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);
        expect(first.trim().split('\n').length).to.be.at.most(10);

        writeFileSync(join(folder, 'all.mjs'), [first, ...others].join('\n').replaceAll('http://127.0.0.1:3000', test.url));
        const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'all.mjs')]);
        const [made = '', nobody, ...rest] = stdout.trim().split('\n');
        expect(made).to.equal('Tomatoes is on My garden');
        expect(nobody).to.equal('nobody');
        const more = [nobody, ...rest];
        expect(more[1]).to.match(/^My garden by ada-/);
        // Other tests of the same service may have gardens, too.
        expect(more[2]).to.match(/^\d+ and no more$/);
        expect(more[3]).to.match(/^\d+ 2$/);

        expect(more.slice(4, 6)).to.equal(['saved 1', 'saved 1']);
        expect(more[6]).to.match(/^bulk by ada-\d+ at \d{4}-/);
        expect(more[7]).to.equal('true');
        const size = Number(more[8]?.split(' of ')[1]);
        expect(more.slice(8, 10)).to.equal([`0 of ${size}`, `${size} of ${size}`]);
        expect(more[10]).to.match(/\/assets\/[0-9a-f]{64}\?width=320$/);
        expect(more[11]).to.equal('true');
        expect(more[12]).to.match(/^\d+ Our garden 2 \d \[\] \[\]$/);
        expect(more[13]).to.equal('Our garden');

        const { body } = await test.call('GET', '/projects?count=100');
        const { id, user_id: user } = body.projects.find(({ author, remixed_from: from }: { author: { username: string }; remixed_from: string | null }) => from === null && `My garden by ${author.username}` === more[1]);
        const pages = (await test.call('GET', `/users/${user}/projects/${id}/pages`)).body.pages;
        expect(pages[0].elements.map(({ attributes }: { attributes: object }) => attributes)).to.equal([
            { text: 'Beans, and flowers', color: 'red', size: 30 }, { targetPageId: pages[1].id }, { src: `asset:${/[0-9a-f]{64}/.exec(more[10] ?? '')?.[0]}` }
        ]);
    });
});
