import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { errorMessage } from '../../../src/database/statements/error-message';

export const lab = Lab.script();
const { describe, it } = lab;

describe('errorMessage()', () => {
    it('has a text for every error', () => {
        expect(errorMessage('thrown')).to.equal('thrown');
        expect(errorMessage(new Error('said'))).to.equal('said');
        expect(errorMessage(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).to.equal('ECONNREFUSED');
        expect(errorMessage(new TypeError(''))).to.equal('TypeError');
    });
});
