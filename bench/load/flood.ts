import { readFileSync } from 'node:fs';

import { percentile } from '../measure/figures';
import { Wire } from './wire';

/** Complete requests of one kind, and their share of the mix. */
export interface Kind {
    share: number;
    requests: readonly string[];
}

/** A load at a fixed rate, which does not depend on responses; or, if `rate` is null, each connection sends its next request right after a response. */
export interface Order {
    rate: number | null;
    connections: number;
    seconds: number;
}

/** The results of all requests that were due in the given time, without its first second. Times in milliseconds, from when a request was due. */
export interface Flooded {
    /** a second */
    due: number;
    /** a second, successful within a second of being due */
    good: number;
    /** a second, rejected as `overloaded` */
    refused: number;
    /** successful, but later than that */
    late: number;
    /** the number of all other errors, by kind */
    failed: Record<string, number>;
    /** of the successes */
    p50: number | null;
    p99: number | null;
    /** of the rejections */
    refusedP99: number | null;
    health: { asked: number; failed: number; p99: number; max: number };
    /** how late this process sent, because it was busy itself or had no free connection */
    behind: { p99: number; max: number };
}

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** Milliseconds between two requests for /health. */
const HEALTH_EVERY = 50;
/** Connections for those requests, since each waits for its response. */
const HEALTH_CONNECTIONS = 20;
/** Milliseconds within which a response is useful. */
const USEFUL = 1000;
/** Milliseconds to wait for responses after the last request was due. */
const PATIENCE = 3000;

const [port = '', file = ''] = process.argv.slice(2);
const kinds: readonly Kind[] = JSON.parse(readFileSync(file, 'utf8'));
const total = kinds.reduce((sum, { share }) => sum + share, 0);
let serial = 0;

/** A random kind from the mix, and the next request of that kind. */
function draw(): string {
    let at = Math.random() * total;
    const kind = kinds.find(({ share }) => (at -= share) < 0) ?? kinds[0];
    return kind?.requests[++serial % kind.requests.length] ?? HEALTH;
}

/** The time in milliseconds on the clock of this process; and a wait of one turn of the event loop. */
const now = (): number => performance.now();
const turn = (): Promise<void> => new Promise((resolve) => {
    setTimeout(resolve, 1);
});

const most = (values: readonly number[]): number => values.reduce((one, other) => Math.max(one, other), 0);
const share = (values: readonly number[], percent: number): number | null => (values.length === 0 ? null : percentile(values, percent));

async function flood({ rate, connections, seconds }: Order): Promise<Flooded> {
    const [times, refusals, behind]: [number[], number[], number[]] = [[], [], []];
    const failed: Record<string, number> = {};
    let [due, good, late, open] = [0, 0, 0, 0];
    // Connections are opened before the load begins, since the bench does not measure opening them.
    const openWires = async (count: number): Promise<Wire[]> => {
        const opened: Wire[] = [];
        while (opened.length < count) {
            const wire = new Wire(Number(port));
            opened.push(wire);
            await wire.opened;
        }

        return opened;
    };

    const idle = await openWires(connections);
    const wires = new Set(idle);
    const watching = await openWires(HEALTH_CONNECTIONS);

    const began = now();
    const end = began + seconds * 1000;
    const isCounted = (time: number): boolean => time >= began + 1000 && time < end;

    const free = (): Wire | undefined => {
        for (let wire = idle.pop(); wire !== undefined; wire = idle.pop()) {
            if (!wire.closed) {
                return wire;
            }

            wires.delete(wire);
        }

        if (wires.size >= connections) {
            return undefined;
        }

        const wire = new Wire(Number(port));
        wires.add(wire);
        return wire;
    };

    const send = (wire: Wire, dueAt: number): void => {
        const counted = isCounted(dueAt);
        if (counted) {
            ++due;
            behind.push(now() - dueAt);
        }

        ++open;
        wire.send(draw(), (status, code) => {
            --open;
            idle.push(wire);
            if (!counted) {
                return;
            }

            const time = now() - dueAt;
            if (status >= 200 && status < 300) {
                times.push(time);
                good += time <= USEFUL ? 1 : 0;
                late += time <= USEFUL ? 0 : 1;
            }
            else if (code === 'overloaded') {
                refusals.push(time);
            }
            else {
                const name = status === 0 ? 'broken' : `${status} ${code}`;
                failed[name] = (failed[name] ?? 0) + 1;
            }
        });
    };

    const health = watchHealth(watching, end);
    const waiting: number[] = [];
    let sent = 0;
    while (now() < end) {
        if (rate === null) {
            for (let wire = free(); wire !== undefined; wire = free()) {
                send(wire, now());
            }
        }
        else {
            for (const all = (now() - began) * rate / 1000; sent < all; ++sent) {
                waiting.push(began + sent * 1000 / rate);
            }

            let next = 0;
            for (let wire = next < waiting.length ? free() : undefined; wire !== undefined; wire = next < waiting.length ? free() : undefined) {
                send(wire, waiting[next++] ?? 0);
            }

            waiting.splice(0, next);
        }

        await turn();
    }

    for (const limit = now() + PATIENCE; open > 0 && now() < limit;) {
        await turn();
    }

    const never = waiting.filter(isCounted).length;
    const unanswered = due - times.length - refusals.length - Object.values(failed).reduce((sum, count) => sum + count, 0);
    const nothing = { 'without response': unanswered, 'never sent': never };
    wires.forEach((wire) => wire.destroy());
    const window = seconds - 1;
    return {
        due: (due + never) / window, good: good / window, refused: refusals.length / window, late,
        failed: { ...failed, ...Object.fromEntries(Object.entries(nothing).filter(([, count]) => count > 0)) },
        p50: share(times, 50), p99: share(times, 99), refusedP99: share(refusals, 99),
        health: await health, behind: { p99: share(behind, 99) ?? 0, max: most(behind) }
    };
}

/** Requests /health at a fixed pace, on another connection if the previous ones are still waiting. */
async function watchHealth(idle: Wire[], end: number): Promise<Flooded['health']> {
    const times: number[] = [];
    let [asked, failed, open] = [0, 0, 0];
    const all = new Set(idle);
    const ask = (dueAt: number): void => {
        const wire = idle.pop() ?? new Wire(Number(port));
        all.add(wire);
        ++asked;
        ++open;
        wire.send(HEALTH, (status) => {
            --open;
            times.push(now() - dueAt);
            failed += status === 200 ? 0 : 1;
            idle.push(wire);
        });
    };

    for (let dueAt = now(); dueAt < end; dueAt += HEALTH_EVERY) {
        while (now() < dueAt) {
            await turn();
        }

        ask(dueAt);
    }

    for (const limit = now() + PATIENCE; open > 0 && now() < limit;) {
        await turn();
    }

    all.forEach((wire) => wire.destroy());
    return { asked, failed: failed + open, p99: share(times, 99) ?? NaN, max: most(times) };
}

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
    flood(order).then((flooded) => process.send?.(flooded), (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
    });
});
process.send?.('ready');
