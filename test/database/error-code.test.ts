import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { errorCode } from '../../src/database/error-code';

export const lab = Lab.script();

lab.test('The code of an error is its text, if it has one', () => {
    const errors = [Object.assign(new Error('no'), { code: '23505' }), Object.assign(new Error('no'), { code: 20 }), new Error('no'), { code: '23505' }, null];
    expect(errors.map(errorCode)).to.equal(['23505', undefined, undefined, undefined, undefined]);
});
