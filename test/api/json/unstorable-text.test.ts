import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { textFaults } from '../../../src/api/json/unstorable-text';

export const lab = Lab.script();
const { describe, it } = lab;

describe('text that PostgreSQL cannot store', () => {
    it('is reported with its path, cut after about 200 characters', () => {
        const faultsOf = (value: unknown): string[] => textFaults(JSON.stringify(value), value).map(({ path }) => path);
        const key = 'k'.repeat(150);
        expect(faultsOf({ [key]: { a: '\u0000' } })).to.equal([`${key}.a`]);
        expect(faultsOf({ [key]: { [key]: { a: { b: '\u0000' } } } })).to.equal([`${key}.${key}`]);
    });
});
