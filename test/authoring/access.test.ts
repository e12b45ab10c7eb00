import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { may } from '../../src/authoring/access';
import type { Act } from '../../src/authoring/access';

export const lab = Lab.script();
const { describe, it } = lab;

describe('access', () => {
    const owner = { id: '1', moderator: false };
    const stranger = { id: '2', moderator: false };
    const moderator = { id: '3', moderator: true };

    const rules: [Act, boolean[]][] = [
        ['create', [true, false, false]],
        ['update', [true, false, false]],
        ['remove', [true, false, true]],
        ['feature', [false, false, true]]
    ];
    for (const [act, expected] of rules) {
        it(`to ${act} is decided for owners, strangers and moderators`, () => {
            expect([owner, stranger, moderator].map((user) => may(user, act, '1'))).to.equal(expected);
        });
    }
});
