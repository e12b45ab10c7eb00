import { hashOf } from '../../test/support/files';
import type { Attack, Run } from './attack';
import type { Account, Attacker, Answer, Call } from './attacker';
import { blanksZip, hostile, picturesZip } from './hostile';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A request that sends an asset. */
export const upload = ({ path, headers }: Account, type: string, bytes: Buffer): Call => ({ method: 'PUT', path: `${path}/assets/${hashOf(bytes)}`, headers, type, body: bytes });

const importing = ({ path, headers }: Account, bytes: Buffer): Call => ({ method: 'POST', path: `${path}/imports`, headers, type: 'application/zip', body: bytes });

/** Sends each hostile file of some content types a few times, from three accounts. */
async function files(attacker: Attacker, types: readonly string[], each: number): Promise<Run> {
    const accounts = [await attacker.open(), await attacker.open(), await attacker.open()];
    const sent: Call[] = [];
    let serial = attacker.dice.below(1e6);
    for (const n of numbers(each)) {
        for (const type of types) {
            for (const make of Object.values(hostile[type] ?? {})) {
                const account = accounts[sent.length % accounts.length];
                sent.push(...account === undefined ? [] : [upload(account, type, await make(++serial + n))]);
            }
        }
    }

    return async () => {
        await attacker.times(sent.length, 6, async (n) => {
            const call = sent[n];
            await (call && attacker.call(call));
        });
    };
}

/** Pictures of up to 50 megapixels: sent, shown in all widths, and in zips, half of them by clients that leave. */
async function pictures(attacker: Attacker): Promise<Run> {
    const accounts = [await attacker.open(), await attacker.open(), await attacker.open()];
    const serial = attacker.dice.below(1e6);
    const all = await Promise.all(['image/avif', 'image/png'].flatMap((type) => Object.values(hostile[type] ?? {}).flatMap((make) => accounts.map(async (account, n) => upload(account, type, await make(serial + n))))));
    const zips = await Promise.all(accounts.flatMap((account, n) => [0, 1].map(async (at) => importing(account, await picturesZip(serial + 2 * n + at)))));
    return async () => {
        const answers: Answer[] = [];
        await attacker.times(all.length, 6, async (n) => {
            const call = all[n];
            answers.push(...call === undefined ? [] : [await attacker.call(call)]);
        });
        const shown = all.map(({ path }) => path.replace(/^.*\//, '/assets/'));
        await attacker.times(3 * shown.length, 12, (n) => attacker.call({ path: `${shown[n % shown.length]}?width=${[320, 640, 1280][n % 3]}` }));
        await Promise.all(zips.map((call, n) => (n % 2 === 0 ? attacker.call(call) : attacker.abandon(call, 300))));
        await Promise.all(all.map((call) => attacker.abandon(call, 300)));
    };
}

/** Zips of half a megabyte that become 511 MiB of blanks, one by a client that leaves. */
async function blanks(attacker: Attacker): Promise<Run> {
    const account = await attacker.open();
    const zips = numbers(2).map((n) => importing(account, blanksZip(511, `Blanks ${n}`)));
    return () => Promise.all(zips.map((call, n) => (n === 0 ? attacker.call(call) : attacker.abandon(call, 500))));
}

export const uploads: readonly Attack[] = [
    { name: 'drawings', title: 'SVGs of 9 MB in which one tag has a million attributes, prefixes or namespaces, and others', prepare: (attacker) => files(attacker, ['image/svg+xml'], 2), seconds: 15 },
    { name: 'containers', title: 'an MP4 with 1.25 million boxes, a WebM with 5 million elements', prepare: (attacker) => files(attacker, ['video/mp4', 'video/webm'], 6), seconds: 15 },
    // It sends a megabyte of PNG and zips; what is kept of them are bytes of files, not of the database.
    { name: 'megapixels', title: 'pictures of up to 50 megapixels in 1 KB from three accounts, scaled and in zips, some abandoned', prepare: pictures, seconds: 20 },
    { name: 'blanks', title: 'zips of half a megabyte that become 511 MiB of blanks', prepare: blanks, seconds: 10, bounds: { cpu: 8 } }
];
