import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import type { Cost } from './measure';
import { spread } from './route-search';
import { figuresOf, worstOf } from './score';
import type { Measure } from './score';

export const lab = script();

const cheap: Cost = {
    manner: 'many', requests: 10, took: 50, cpu: 100, database: 50, stall: 10, memory: 150, sent: 900, answers: { 200: 10 },
    user: { slowest: 40, slowestStep: 'read a page', requests: 9, failures: [] }, rest: { busy: 0.02, statements: [] }
};

lab.experiment('What requests cost', () => {

    const expensive: readonly (readonly [Measure, Partial<Cost>, number])[] = [
        ['event loop', { stall: 250 }, 2.5],
        ['an ordinary user', { user: { ...cheap.user, slowest: 3000 } }, 3],
        ['an ordinary user', { user: { ...cheap.user, slowest: 500, failures: ['read a page: no answer'] } }, 10.5],
        ['memory', { memory: 1100 }, 2],
        ['what goes on', { rest: { busy: 0.9, statements: [] } }, 3],
        ['what goes on', { rest: { busy: 0, statements: ['select 1'] } }, 3],
        ['processor', { cpu: 40_000, database: 60_000 }, 2]
    ];
    for (const [measure, change, ratio] of expensive) {
        lab.test(`is judged by what is furthest beyond what it may be: ${measure}, ${ratio} times`, () => {
            const worst = worstOf({ ...cheap, ...change });
            expect(worst.measure).to.equal(measure);
            expect(worst.ratio).to.be.about(ratio, 0.001);
        });
    }

    lab.test('is within its limits if all measures are', () => {
        expect(worstOf(cheap).ratio).to.be.below(1);
    });

    lab.test('is told with all measures', () => {
        const text = figuresOf({ ...cheap, rest: { busy: 1.5, statements: ['select 1'] }, user: { ...cheap.user, failures: ['x'] } });
        expect(text).to.equal('10 at once in 50 ms; loop 10 ms; user 40 ms (to read a page), 1 failed; processor for each 10 ms and 5 in PostgreSQL; memory 150 MiB; later 150 % and 1 statements; 10×200');
        expect(figuresOf({ ...cheap, manner: 'one', requests: 1, user: { ...cheap.user, requests: 0 } })).to.startWith('1 alone in 50 ms; loop 10 ms; processor for each 100 ms');
    });

    lab.test('decides what is tried next: the most expensive first, each route once before any route twice', () => {
        const account = { id: '7', username: 'eva', path: '/users/7', headers: {} };
        const tried = ([['/a', 'x', 9], ['/a', 'y', 8], ['/b', 'x', 2], ['/b', 'y', 7], ['/c', 'x', 1]] as const).map(([path, name, ratio]) => ({
            probe: { route: { method: 'GET', path, query: {}, isPrivate: false, body: undefined, takes: [] }, subject: { name, account, values: {} }, body: undefined, path, query: '' }, cost: cheap, measure: 'memory', ratio
        }));
        expect(spread(tried).map(({ probe }) => `${probe.path} ${probe.subject.name}`)).to.equal(['/a x', '/b y', '/c x', '/a y', '/b x']);
    });
});
