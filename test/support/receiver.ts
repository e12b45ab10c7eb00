import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';

import { listen } from './host';

/** What a receiver of webhooks was sent. */
export interface Received {
    headers: IncomingHttpHeaders;
    body: string;
    /** milliseconds since 1970 */
    at: number;
}

export interface Receiver {
    url: string;
    received: Received[];
    /** what it answers from now on; 204 if nothing else was said */
    answer: (response: ServerResponse, received: Received) => void;
    stop(): void;
}

/** What was sent, as a receiver of others checks it. @throws if the secret has not signed it */
export function verified({ body, headers }: Received, secret: string): unknown {
    return new Webhook(secret).verify(body, { 'webhook-id': String(headers['webhook-id']), 'webhook-timestamp': String(headers['webhook-timestamp']), 'webhook-signature': String(headers['webhook-signature']) });
}

/** A program that listens for webhooks. @param host an address of this machine */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
    const server = createServer((request, response) => {
        void text(request).then((body) => {
            const received = { headers: request.headers, body, at: Date.now() };
            receiver.received.push(received);
            receiver.answer(response, received);
        }, () => undefined);
    });
    const receiver: Receiver = {
        url: '',
        received: [],
        answer: (response) => response.writeHead(204).end(),
        stop: () => {
            server.close();
            server.closeAllConnections();
        }
    };
    receiver.url = `http://${host}:${await listen(server)}/in`;
    return receiver;
}
