import { randomBytes } from 'node:crypto';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { BodyChunks } from '../../../src/api/request/body-chunks';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the chunks of a body', () => {
    const sizes: readonly (readonly [what: string, lengths: readonly number[], most: number])[] = [
        ['none', [], 0],
        ['one', [700], 1000],
        ['large ones', Array.from({ length: 50 }, () => 64 * 1024), 50 * 65 * 1024],
        ['of one byte', Array.from({ length: 100_000 }, () => 1), 200_000],
        ['small and large ones by turns', Array.from({ length: 2000 }, (_, n) => (n % 2 === 0 ? 1 : 1024)), 2000 * 900]
    ];
    for (const [what, lengths, most] of sizes) {
        it(`are joined as they came: ${what}`, () => {
            const chunks = new BodyChunks();
            const parts = lengths.map((length) => randomBytes(length));
            const taken = parts.reduce((sum, part) => sum + chunks.add(part), 0);
            const whole = Buffer.concat(parts);
            expect(chunks.length).to.equal(whole.length);
            expect(chunks.joined().equals(whole)).to.be.true();
            expect(taken).to.be.within(whole.length, Math.max(most, whole.length));
        });
    }
});
