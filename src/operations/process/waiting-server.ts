import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

import { fault } from '../../api/errors/errors';
import type { Config } from '../../config';
import { listening } from './ports';

/** Answers for the service until it can. */
export interface WaitingServer {
    /** Says what the service waits for, in words that show nothing private. */
    setCause(cause: string): void;
    /** Makes room for the service. */
    close(): Promise<void>;
}

/** A page that asks again by itself. */
const page = (message: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="2"><title>Starting</title>
<style>body { font: 1.2rem/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 32rem; padding: 0 1rem; color-scheme: light dark }</style>
<p>${message.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</p><p>This page opens by itself as soon as it can.</p></html>`;

/**
 * Listens where the service will: /health is 200, and all else 503 with the cause, so that nobody takes a service that waits for a dead one.
 * Browsers, which ask for HTML first, get a page that loads again until the service is there.
 */
export async function waitingServer({ host, port }: Pick<Config, 'host' | 'port'>): Promise<WaitingServer> {
    let message = 'The service is starting.';
    const server = createServer((request, response) => {
        const id = randomUUID();
        const isAlive = request.url === '/health';
        const { output } = fault('service_unavailable', message);
        const isPage = !isAlive && request.headers.accept?.startsWith('text/html') === true;
        response.writeHead(isAlive ? 200 : 503, {
            'content-type': `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`, 'vary': 'accept', 'cache-control': 'no-cache', 'access-control-allow-origin': '*', 'x-request-id': id, connection: 'close', ...isAlive ? {} : { 'retry-after': '5' }
        });
        response.end(isPage ? page(message) : JSON.stringify(isAlive ? { status: 'success' } : { ...output.payload, message, code: 'service_unavailable', request_id: id }));
    });
    await listening({ variable: 'PORT', host, port }, () => new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => resolve());
    }));
    return {
        setCause: (cause) => {
            message = `The service is starting, and waits. ${cause}`;
        },
        close: () => new Promise((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
        })
    };
}
