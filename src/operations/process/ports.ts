import { createServer } from 'node:net';

import type { Config } from '../../config';
import { errorMessage } from '../../database/statements/error-message';

/** A port to listen on, and the variable that sets it. */
export interface ListenAddress {
    variable: 'PORT' | 'METRICS_PORT';
    host: string;
    port: number;
}

/**
 * Listens on each port for a moment, so that a start with a busy port fails before it changes anything. Another program can still
 * take a port before the service does.
 * @throws Error with a message for an operator
 */
export async function tryPorts({ host, port, metricsHost, metricsPort }: Config): Promise<void> {
    const places: ListenAddress[] = [{ variable: 'PORT', host, port }, ...metricsPort === null ? [] : [{ variable: 'METRICS_PORT', host: metricsHost, port: metricsPort } as const]];
    for (const place of places) {
        await listening(place, () => tryPort(place));
    }
}

function tryPort({ host, port }: ListenAddress): Promise<void> {
    return new Promise((resolve, reject) => {
        const server = createServer();
        server.once('error', reject);
        server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
    });
}

/** Starts to listen. @throws Error that names the variable to change */
export async function listening({ variable, host, port }: ListenAddress, start: () => Promise<void>): Promise<void> {
    try {
        await start();
    }
    catch (error) {
        const why = errorMessage(error);
        throw new Error(why.includes('EADDRINUSE')
            ? `Port ${port} of ${host} is in use. Stop what listens there, or set ${variable} to another port.`
            : `Cannot listen at port ${port} of ${host}: ${why}`, { cause: error });
    }
}
