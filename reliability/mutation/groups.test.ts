import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { root } from '../../test/support/program';
import { groups } from './groups';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the groups of what is mutated', () => {
    it('name files that are there', () => {
        const named = Object.values(groups).flat().flatMap(({ mutate, sql = [], tests }) => [...mutate, ...sql, ...tests.map(({ file }) => file)]);
        expect(named.filter((file) => !existsSync(join(root, file)))).to.equal([]);
        expect(named.length).to.be.above(100);
    });
});
