import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { may } from '../../src/rules/access';
import type { ProjectAct } from '../../src/rules/access';

export const lab = Lab.script();
const { describe, it } = lab;

describe('access', () => {
    const owner = { id: '1', moderator: false };
    const stranger = { id: '2', moderator: false };
    const moderator = { id: '3', moderator: true };

    const rules: [ProjectAct, boolean[]][] = [
        ['create', [true, false, true, false, false]],
        ['update', [true, false, true, false, false]],
        ['removeInside', [true, false, true, false, true]],
        ['remove', [true, false, false, false, true]],
        ['feature', [false, false, false, false, true]],
        ['history', [true, false, true, true, true]],
        ['manage', [true, false, false, false, false]],
        ['leave', [true, false, true, true, false]]
    ];
    for (const [act, expected] of rules) {
        it(`to ${act} is decided for owners, strangers, editors, viewers and moderators`, () => {
            const callers = [[owner, null], [stranger, null], [stranger, 'editor'], [stranger, 'viewer'], [moderator, null]] as const;
            expect(callers.map(([user, role]) => may(user, act, { ownerId: '1', role }))).to.equal(expected);
        });
    }
});
