import type { IncomingMessage } from 'node:http';

import type { ClientLimits } from './client-limits';

/** Milliseconds between two checks of how much has arrived. */
const CHECK_EVERY = 250;

const closedAtOnce = new WeakSet<IncomingMessage>();

/** Has the connection closed at once after the response, whatever the client still sends: to read it costs too much. */
export const closeAtOnce = (request: IncomingMessage): void => void closedAtOnce.add(request);

/**
 * Has the connection closed slowly after a response that did not wait for the request's body: no more is sent, but what
 * still comes is read and thrown away, until the client closes or a limit is reached. Node by itself closes at once, with
 * bytes unread; TCP then sends a reset, on which some clients drop the response: docs/decisions/early-413.md.
 * To be called before the response is sent.
 */
export function closeAfterUnreadBody(request: IncomingMessage, { linger, lingerBytes }: Pick<ClientLimits, 'linger' | 'lingerBytes'>): void {
    // A request that was injected has no such property, and no connection.
    if (request.complete !== false) {
        return;
    }

    const { socket } = request;
    if (closedAtOnce.has(request)) {
        socket.destroySoon = () => void socket.end(() => socket.destroy());
        return;
    }

    request.unpipe().resume();
    // Node calls this when the response is out and the connection is not to be used again.
    socket.destroySoon = () => {
        const end = { bytes: socket.bytesRead + lingerBytes, time: performance.now() + linger };
        const watch = setInterval(() => {
            if (socket.destroyed || socket.bytesRead > end.bytes || performance.now() > end.time) {
                clearInterval(watch);
                socket.destroy();
            }
        }, CHECK_EVERY).unref();
        socket.end();
    };
}
