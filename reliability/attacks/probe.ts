import { openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Loaded into the service before its own code (`node --expose-gc --require`). Measures the longest block of the event
 * loop, and sends it with the memory in use after a garbage collection, on "start" and on "stop"; on "look" without that, and begins again.
 *
 * Time in which the main thread was ready to run but had no processor does not count. Linux has it in
 * `/proc/<pid>/schedstat`. So a busy machine does not look like a service that is blocked.
 */

/** The report. Times in milliseconds, memory in MiB. */
export interface Probed {
    /** the longest block of the event loop, without the time it waited for a processor */
    stall: number;
    /** the same by the clock alone */
    clock: number;
    /** in use after a garbage collection: V8's heap and buffers outside it */
    kept: number;
}

/** Milliseconds between two measurements. */
const EVERY = 5;
const MIB = 1024 * 1024;

const buffer = Buffer.alloc(128);
const statistics = openStatistics();
let [stall, clock] = [0, 0];
let [lastTime, lastWaited] = [performance.now(), waited()];

function openStatistics(): number | undefined {
    try {
        return openSync('/proc/self/schedstat', 'r');
    }
    catch {
        return undefined;
    }
}

/** Milliseconds for which the main thread has waited for a processor; always 0 if the system does not count that. */
function waited(): number {
    if (statistics === undefined) {
        return 0;
    }

    const length = readSync(statistics, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

function look(): void {
    const [time, wait] = [performance.now(), waited()];
    const took = time - lastTime - EVERY;
    clock = Math.max(clock, took);
    stall = Math.max(stall, took - (wait - lastWaited));
    [lastTime, lastWaited] = [time, wait];
}

/** Buffers are given back in the background after the collection that finds them. */
async function kept(): Promise<number> {
    global.gc?.();
    await sleep(200);
    global.gc?.();
    await sleep(200);
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / MIB;
}

setInterval(look, EVERY).unref();

process.on('message', (message) => {
    look();
    const seen = { stall, clock };
    if (message === 'look') {
        const probed: Probed = { ...seen, kept: 0 };
        process.send?.(probed);
        [stall, clock] = [0, 0];
        return;
    }

    void kept().then((memory) => {
        const probed: Probed = { ...seen, kept: memory };
        process.send?.(probed);
        // Do not count our own garbage collections.
        [lastTime, lastWaited] = [performance.now(), waited()];
        if (message === 'start') {
            [stall, clock] = [0, 0];
        }
    });
});
// If the suite dies, the service must end too. The channel must not keep the service alive.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
