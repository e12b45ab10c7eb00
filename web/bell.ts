import { EventReader } from '../client/src/events.js';
import { fieldOf } from '../src/api/json/is-object';
import { tellUnread, unreadOf } from './unread';

interface Reader {
    id: string;
    token: string;
}

/** More are not counted. */
const MAX_SHOWN = 99;

/** Milliseconds before another connection: at first, and at most. */
const SOON = 5000;
const LATE = 300_000;

/** Milliseconds without a byte after which a connection is given up: the service sends a comment every 15 s. */
const SILENCE = 45_000;

function show(bell: HTMLElement, count: number): void {
    const [number, label] = [bell.querySelector('b'), count === 0 ? bell.title : String(bell.dataset.unread).replace('#', String(count))];
    bell.ariaLabel = label;
    if (number !== null) {
        number.textContent = count === 0 ? '' : count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count);
    }
}

const waitFor = (time: number, signal: AbortSignal): Promise<void> => new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
    }, { once: true });
});

/** Reads the numbers of one connection. @returns whether there may be another one */
async function listen({ id, token }: Reader, signal: AbortSignal): Promise<boolean> {
    const connection = new AbortController();
    const end = (): void => connection.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
        const stream = await fetch('/users/me/notices/events', { headers: { authorization: `token ${token}` }, cache: 'no-store',
            signal: connection.signal });
        if (!stream.ok) {
            return stream.status >= 500 || stream.status === 429;
        }

        const events = new EventReader();
        const pieces = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const timer = setTimeout(end, SILENCE);
            const piece = await pieces?.read().finally(() => clearTimeout(timer));
            if (piece === undefined || piece.done) {
                return true;
            }

            for (const { name, data } of events.read(piece.value)) {
                const count = name === 'notice' ? fieldOf(JSON.parse(data), 'unread') : undefined;
                if (typeof count === 'number') {
                    tellUnread(id, count);
                }
            }
        }
    }
    catch {
        return true;
    }
    finally {
        end();
        signal.removeEventListener('abort', end);
    }
}

async function keepListening(reader: Reader, signal: AbortSignal): Promise<void> {
    for (let pause = SOON; !signal.aborted && await listen(reader, signal); pause = Math.min(2 * pause, LATE)) {
        await waitFor(pause, signal);
    }
}

/** Shows how many notices are unread, as it changes. One tab listens to the service, and tells the others. */
export function ring(bell: HTMLElement, reader: Reader, signal: AbortSignal): void {
    const update = (): void => show(bell, unreadOf(reader.id));
    update();
    addEventListener('storage', update, { signal });
    addEventListener('pagewright:unread', update, { signal });
    const begin = (): void => {
        const own = new AbortController();
        // A page that the browser keeps for the way back must hold nothing.
        addEventListener('pagehide', () => own.abort(), { once: true, signal: own.signal });
        signal.addEventListener('abort', () => own.abort(), { once: true });
        // Without https there are no locks: then each tab listens.
        const work = (): Promise<void> => keepListening(reader, own.signal);
        void (navigator.locks === undefined ? work() : navigator.locks.request('pagewright notices', { signal: own.signal },
            work)).catch(() => undefined);
    };

    begin();
    addEventListener('pageshow', ({ persisted }) => persisted && begin(), { signal });
}
