import type { Plugin } from '@hapi/hapi';

/**
 * What a request costs at most:
 * - `cheap`: one lookup, one write, or a list of bounded length;
 * - `heavy`: it grows with what authors have made;
 * - `work`: it takes processor time of the service, for passwords, files or pages.
 */
export type Cost = 'cheap' | 'heavy' | 'work';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** needed: the server does not accept a route without it */
        cost: Cost;
    }
}

/** Refuses to register a route that does not say what it costs. */
export const cost: Plugin<void> = {
    name: 'cost',
    register(server) {
        server.events.on('route', ({ method, path, settings }) => {
            if (settings.app?.cost === undefined) {
                throw new Error(`The route ${method.toUpperCase()} ${path} does not say what it costs: give it options.app.cost (src/http/load/cost.ts)`);
            }
        });
    }
};
