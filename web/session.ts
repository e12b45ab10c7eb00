import { createClient } from '../client/src/index.js';
import type { Client, Session } from '../client/src/index.js';

let made: Client | undefined;

/** The one client of this page. The session is in `localStorage`, so all pages and tabs of the site share it. */
export const client = (): Client => (made ??= createClient(location.origin, { store: localStorage }));

/** Who is signed in; null if nobody is. */
export const currentSession = (): Session | null => client().session;

/** The address of the page to sign in, from where one comes back here. */
export const signInAddress = (back = location.pathname + location.search + location.hash): string => `/sign-in?back=${encodeURIComponent(back)}`;
