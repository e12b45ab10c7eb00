import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Context } from '../measure/context';
import { median } from '../measure/figures';
import type { Fact } from '../measure/figures';
import type { Listening } from '../measure/processes';
import type { Options } from '../measure/options';
import { number } from '../report/table';
import { underLoad } from '../scenarios/world';

/** The least rate of the gallery, as a share of that of bare hapi with the same bytes. */
const LEAST = 0.5;

/** How fast the gallery is while many look at it, against bare hapi with the same bytes, in turn. */
export async function measureGallery(service: Listening, { rounds, seconds, connections }: Options, { dir, processes, log }: Context): Promise<Fact[]> {
    const body = await (await fetch(service.base)).text();
    const bytes = join(dir, 'gallery.html');
    writeFileSync(bytes, body);
    const bare = await processes.peer('bare', 'hapi', { url: '', pool: 0, bytes });
    const samples = [];
    for (let round = 0; round < rounds; ++round) {
        const measure = (server: Listening): ReturnType<typeof underLoad> => underLoad({ processes, dir, connections, postmaster: null }, server, seconds, { requests: [{ path: '/' }], bytes: { least: Buffer.byteLength(body) } });
        const first = round % 2 === 0 ? await measure(bare) : undefined;
        const ours = await measure(service);
        const theirs = first ?? await measure(bare);
        log(`gallery: ${number(ours.perSecond, 0)}/s, ${number(ours.cpu, 1)} µs of CPU; bare hapi: ${number(theirs.perSecond, 0)}/s, ${number(theirs.cpu, 1)} µs`);
        samples.push({ rate: ours.perSecond / theirs.perSecond, ours: ours.cpu ?? NaN, theirs: theirs.cpu ?? NaN });
    }

    await processes.stop(bare.child);
    const rate = median(samples.map((one) => one.rate));
    return [{
        title: `the gallery, ${(Buffer.byteLength(body) / 1024).toFixed(0)} KiB, of the rate of bare hapi with the same bytes; CPU a request of both`, target: `≥ ${LEAST}`, met: rate >= LEAST,
        value: `${number(rate, 2)}; ${number(median(samples.map((one) => one.ours)), 0)}, ${number(median(samples.map((one) => one.theirs)), 0)} µs`
    }];
}
