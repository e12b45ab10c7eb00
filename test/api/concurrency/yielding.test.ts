import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { nextTurn } from '../../../src/api/concurrency/yielding';

export const lab = Lab.script();

lab.test('Works that wait for the next turn of the event loop have a turn each', async () => {
    let turn = 0;
    const count = (): void => {
        turn += 1;
        immediate = setImmediate(count);
    };

    let immediate = setImmediate(count);
    const turns = await Promise.all(Array.from({ length: 5 }, async () => {
        await nextTurn();
        return turn;
    }));
    clearImmediate(immediate);
    expect(new Set(turns).size).to.equal(5);
});
