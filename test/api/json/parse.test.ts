import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { readJson } from '../../../src/api/json/parse';

export const lab = script();

lab.test('Large bodies that arrive at once have a turn of the event loop each, before they are decoded', async () => {
    let turn = 0;
    const count = (): void => {
        turn += 1;
        immediate = setImmediate(count);
    };

    let immediate = setImmediate(count);
    // Not UTF-8, so that the turn of the error is that of decoding.
    const body = Buffer.alloc(64 * 1024, 0xFF);
    const turns = await Promise.all(Array.from({ length: 5 }, () => readJson(body).then(() => -1, () => turn)));
    clearImmediate(immediate);
    expect(turns).to.not.include([-1, 0]);
    expect(new Set(turns).size).to.equal(5);
});
