import type { CallOptions } from './api.js';
import { keeping } from './retries.js';
import type { Send } from './retries.js';

/** Called with the bytes that have left, and with how many there are: from 0 on, and from 0 again if the upload is tried again. */
export type OnProgress = (sent: number, total: number) => void;

export interface ProgressOptions extends CallOptions {
    onProgress?: OnProgress | undefined;
}

/** Headers as XMLHttpRequest returns them, one a line. */
function headersOf(text: string): Headers {
    const lines = text.split('\r\n').filter((line) => line !== '');
    return new Headers(lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
}

/** Sends a body by XMLHttpRequest: in browsers, `fetch` does not tell how far an upload is. */
function sendByXhr({ method, url, headers, signal }: Request, body: Blob, tell: (sent: number) => void): Promise<Response> {
    return new Promise((resolve, reject) => {
        const sending = new XMLHttpRequest();
        const stop = (): void => sending.abort();
        sending.open(method, url);
        sending.responseType = 'blob';
        headers.forEach((value, name) => sending.setRequestHeader(name, value));
        sending.upload.onprogress = ({ loaded }) => tell(loaded);
        sending.onload = () => resolve(new Response(sending.response, { status: sending.status, statusText: sending.statusText, headers: headersOf(sending.getAllResponseHeaders()) }));
        sending.onerror = () => reject(new TypeError('The connection failed during the upload'));
        sending.onabort = () => reject(signal.reason);
        sending.onloadend = () => signal.removeEventListener('abort', stop);
        signal.addEventListener('abort', stop, { once: true });
        sending.send(body);
        if (signal.aborted) {
            stop();
        }
    });
}

/** Bytes of a body that are read at a time. */
const PIECE = 64 * 1024;

/** The request with a body that tells how much of it has been read. The service is told the length before, so that it can refuse what is too large. */
function counted(request: Request, body: Blob, tell: (sent: number) => void): Request {
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
            // The stream of a blob may be a single piece.
            const piece = new Uint8Array(await body.slice(sent, sent + PIECE).arrayBuffer());
            if (piece.length === 0) {
                controller.close();
                return;
            }

            sent += piece.length;
            tell(sent);
            controller.enqueue(piece);
        }
    }, { highWaterMark: 0 });
    const init: RequestInit & { duplex: 'half' } = { body: stream, duplex: 'half', headers: { ...Object.fromEntries(request.headers), 'Content-Length': String(body.size) } };
    return new Request(request, init);
}

/** Programs outside of browsers can send a stream; browsers can do that by HTTP/2 only, and not all of them. */
const isNode = (): boolean => typeof process === 'object' && process?.versions?.node !== undefined;

declare const process: { versions?: { node?: string } } | undefined;

/**
 * Sends requests with this body.
 * @param fetch of the caller, undefined if it is the global one, which XMLHttpRequest can stand in for
 */
export function sendingBody(fetch: Send | undefined, body: Blob, onProgress: OnProgress | undefined): Send {
    const send = keeping(fetch ?? ((request) => globalThis.fetch(request)));
    if (onProgress === undefined) {
        return keeping((request) => send(new Request(request, { body })));
    }

    return keeping(async (request) => {
        let last: number | undefined;
        const tell = (sent: number): void => {
            if (sent !== last) {
                last = sent;
                onProgress(sent, body.size);
            }
        };

        tell(0);
        const response = fetch === undefined && typeof XMLHttpRequest === 'function' ? await sendByXhr(request, body, tell) :
            await send(isNode() ? counted(request, body, tell) : new Request(request, { body }));
        if (response.ok) {
            tell(body.size);
        }

        return response;
    });
}
