import { PagewrightError } from '../../client/src/index.js';
import type { App, Client } from '../../client/src/index.js';

/** An app's request. */
export interface Asked {
    app: App;
    scope: readonly string[];
    /** where people go back to; null for a device, which is told by the service */
    destination: string | null;
    /** whether they need not be asked again */
    skip: boolean;
}

/** Asks the pages' part of the service, which is no part of the API, as whoever is signed in. @throws PagewrightError */
export async function ask<Answer>(client: Client, method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const response = await fetch(path, {
        method, headers: { Authorization: `token ${client.session?.token}`, ...body !== undefined && { 'Content-Type': 'application/json' } }, ...body !== undefined && { body: JSON.stringify(body) }
    });
    const answer = await response.json();
    if (response.ok) {
        return answer;
    }

    if (response.status === 401) {
        // Somebody ended this session elsewhere: the page asks to sign in again.
        await client.signOut().catch(() => undefined);
    }

    throw new PagewrightError(response.status, answer, Number(response.headers.get('Retry-After')) || undefined);
}
