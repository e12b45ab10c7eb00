import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { watchUntilQuiet } from './family';
import type { Rest } from './family';
import { faultsOf, slownessOf, storedPerByte } from './judge';
import type { Measured } from './judge';
import { attacks } from './list';

export const lab = script();

const MIB = 1024 * 1024;

const well: Measured = {
    tally: { sent: MIB, answers: { 200: 10, '409 page_limit': 1 }, achieved: [], failure: '' }, ended: undefined, logged: [],
    user: { requests: 50, slowest: 90, slowestStep: 'read a page', sent: MIB, failures: [], ratios: [1, 1, 2] }, stall: 20, memory: 200, kept: 5, stored: 5 * MIB, seconds: 10, cpu: 8, rest: { busy: 0.1, statements: [] }, quiet: 2.5
};

lab.experiment('An attack', () => {

    lab.test('is stood where all bounds are kept', () => {
        expect(faultsOf({}, well, 1)).to.equal([]);
    });

    const wrong: readonly (readonly [string, Partial<Measured>])[] = [
        ['the process ended', { ended: 'SIGABRT' }],
        ['requests of the ordinary user failed', { user: { ...well.user, failures: ['read a page: 503 overloaded'] } }],
        ['the ordinary user waited', { user: { ...well.user, slowest: 1001 } }],
        ['the event loop was blocked', { stall: 101 }],
        ['memory', { memory: 551 }],
        ['memory that stays', { kept: 65 }],
        ['stored per byte sent', { stored: 40 * MIB }],
        ['it got 500', { tally: { ...well.tally, answers: { '500 internal_error': 1 } } }],
        ['the service is busy', { rest: { busy: 0.31, statements: [] } }],
        ['statements go on', { rest: { busy: 0, statements: ['select 1'] } }],
        ['it achieved this: somebody else read it', { tally: { ...well.tally, achieved: ['somebody else read it'] } }],
        ['errors in the log', { logged: ['{}'] }],
        ['the attack failed to run', { tally: { ...well.tally, failure: 'refused' } }]
    ];
    for (const [what, change] of wrong) {
        lab.test(`succeeds: ${what}`, () => {
            const faults = faultsOf({}, { ...well, ...change }, 1);
            expect(faults.length).to.equal(1);
            expect(faults[0]).to.include(what);
        });
    }

    const quiet: Rest = { busy: 0.3, statements: [] };
    const busy: Rest = { busy: 0.31, statements: [] };
    const running = (...statements: readonly string[]): Rest => ({ busy: 0, statements });

    /** Looks until it is quiet, at most five times, and returns the result and the number of looks. */
    async function watched(...looks: readonly Rest[]): Promise<readonly [Rest, number]> {
        let count = 0;
        const look = (): Promise<Rest> => Promise.resolve(looks[Math.min(count++, looks.length - 1)] ?? quiet);
        return [await watchUntilQuiet(look, 0.3, () => count >= 5), count];
    }

    lab.test('may leave work to the service that ends soon, and none that goes on', async () => {
        expect(await watched(quiet)).to.equal([quiet, 1]);
        expect(await watched(busy, busy, quiet)).to.equal([quiet, 3]);
        expect(await watched(busy)).to.equal([busy, 5]);
    });

    lab.test('may leave no statement that is seen twice', async () => {
        expect(await watched(running('a'), running('b'), running())).to.equal([running(), 3]);
        expect(await watched(busy, running('a', 'b'), running('b', 'c'))).to.equal([running('b'), 3]);
    });

    lab.test('may need an answer, and have bounds of its own', () => {
        expect(faultsOf({ answers: ['429 rate_limited'] }, well, 1)).to.equal(['it never got 429 rate_limited']);
        expect(faultsOf({ bounds: { stored: 100 } }, { ...well, stored: 90 * MIB }, 1)).to.equal([]);
        expect(faultsOf({ bounds: { cpu: 5 } }, well, 1)).to.equal(['processor time 8 s, more than 5 s']);
    });

    lab.test('is judged less strictly on a slow machine, within limits, and by time alone', () => {
        expect([10, 250, 500, 60_000].map(slownessOf)).to.equal([1, 1, 2, 3]);
        expect(faultsOf({}, { ...well, user: { ...well.user, slowest: 3001 } }, slownessOf(60_000)).length).to.equal(1);
        expect(faultsOf({}, { ...well, stall: 101, memory: 551 }, slownessOf(60_000)).length).to.equal(2);
    });

    lab.test('is not charged for what the ordinary user saves, nor for the pages that PostgreSQL adds', () => {
        expect(storedPerByte({ ...well, stored: 10 * MIB })).to.equal(0);
        expect(storedPerByte({ ...well, stored: 20 * MIB })).to.equal(10);
    });

    lab.test('has a name of its own', () => {
        expect(new Set(attacks.map(({ name }) => name)).size).to.equal(attacks.length);
    });
});
