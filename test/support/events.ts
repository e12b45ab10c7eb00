import { get } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

import { until } from './host';

/** One event of a stream. */
export interface TestEvent {
    event: string;
    id: number | undefined;
    // The tests state what they expect of it; a wrong assumption fails there.
    // eslint-disable-next-line no-restricted-syntax
    data: any;
    /** when it came, as `performance.now()` tells it */
    at: number;
}

/** A client of a stream of events. */
export interface Watcher {
    status: number;
    headers: IncomingHttpHeaders;
    /** all that has come */
    text: string;
    events: TestEvent[];
    /** whether the stream has ended as it should */
    complete: boolean;
    /** whether its connection is closed */
    closed: boolean;
    /** Waits until there are so many events. */
    has(count: number, patience?: number): Promise<TestEvent[]>;
    close(): void;
}

function eventOf(block: string): TestEvent | undefined {
    const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const id = field('id');
    return field('event') === undefined ? undefined : {
        event: String(field('event')), id: id === undefined ? undefined : Number(id), data: JSON.parse(String(field('data'))), at: performance.now()
    };
}

/** Opens a stream, or gets the error response instead of one. @param localAddress of this client */
export function watch(url: string, headers: Record<string, string> = {}, localAddress = '127.0.0.1'): Promise<Watcher> {
    return new Promise((resolve, reject) => {
        const request = get(url, { agent: false, headers, localAddress }, (response) => {
            let rest = '';
            const watcher: Watcher = {
                status: Number(response.statusCode), headers: response.headers, text: '', events: [], complete: false, closed: false,
                has: async (count, patience = 5000) => {
                    await until(() => watcher.events.length >= count, patience);
                    return watcher.events;
                },
                close: () => request.destroy()
            };
            response.setEncoding('utf8').on('data', (text: string) => {
                watcher.text += text;
                const blocks = (rest + text).split('\n\n');
                rest = blocks.pop() ?? '';
                watcher.events.push(...blocks.flatMap((block) => eventOf(block) ?? []));
            }).on('end', () => {
                watcher.complete = true;
            }).on('error', () => undefined).on('close', () => {
                watcher.closed = true;
            });
            resolve(watcher);
        }).on('error', reject);
    });
}
