import { execFileSync } from 'node:child_process';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { build, root } from '../../support/program';

export const lab = Lab.script();
const { before, describe, it } = lab;

/** Counts the collections of V8's old generation while 2 million objects live for a while, beside some that stay. */
const program = `
    const { constants, PerformanceObserver } = require('node:perf_hooks');
    let count = 0;
    new PerformanceObserver((list) => {
        count += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
    }).observe({ entryTypes: ['gc'] });
    const staying = Array.from({ length: 300_000 }, (_, n) => [n, [n]]);
    const passing = [];
    let made = 0;
    (function make() {
        for (let n = 0; n < 20_000; ++n, ++made) {
            passing[made % 60_000] = new Array(30).fill(made);
        }

        made < 2e6 ? setImmediate(make) : setTimeout(() => console.log(count, staying.length), 50);
    })();`;

/** With the young generation of Node 20 and 22. That of Node 24 is so large that nothing of this would leave it. */
const collectionsAfter = (start: string): number => parseInt(execFileSync(process.execPath, ['--max-semi-space-size=16', '-e', start + program], { cwd: root, encoding: 'utf8' }), 10);

describe('the heap', () => {
    before(build);

    it('is collected at least half as often again as by default', () => {
        const usual = collectionsAfter('');
        expect(usual).to.be.at.least(1);
        expect(collectionsAfter(`require('./dist/src/operations/process/heap-growth').limitHeapGrowth();`)).to.be.at.least(usual * 1.5);
    });
});
