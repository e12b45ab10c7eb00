import type { Server } from '@hapi/hapi';

import type { Config } from '../../config';
import { defined } from '../errors/defined';
import { bounded } from './bounds';
import { headers } from './headers';
import { operationOf } from './operations';
import { groups, info, securitySchemes } from './prose';
import type { Shared } from './components';
import { withoutExamples } from './schemas';
import { webhooksOf } from './webhooks';

/** The order of a path's methods. */
const methods = ['get', 'post', 'patch', 'delete'];

/** The settings that texts name, such as `for {TRASH_DAYS} days`. */
export type NamedSettings = Pick<Config, 'historyDays' | 'maxImportBytes' | 'trashDays'>;

/** The OpenAPI 3.1 description of a server as JSON, made from the options and schemas of its routes. */
export function describe(server: Server, { historyDays, maxImportBytes, trashDays }: NamedSettings): string {
    const settings = new Map([['HISTORY_DAYS', historyDays], ['MAX_IMPORT_MIB', maxImportBytes / 1024 ** 2], ['TRASH_DAYS', trashDays]]);
    const shared: Shared = { schemas: {}, responses: {}, parameters: {} };
    const paths: Record<string, Record<string, object>> = {};
    const routes = server.table().sort((a, b) => a.path.localeCompare(b.path, 'en') || methods.indexOf(a.method) - methods.indexOf(b.method));
    for (const route of routes) {
        const operation = operationOf(route, shared);
        if (operation !== undefined) {
            paths[route.path] = { ...paths[route.path], [route.method]: operation };
        }
    }

    const schemas = Object.fromEntries(Object.entries(shared.schemas).map(([name, schema]) => [name, repeated.has(name) ? withoutExamples(schema) : schema]));
    const referring = JSON.stringify([paths, shared.responses]);
    const document = {
        openapi: '3.1.1',
        info,
        // Relative to the URL of the description.
        servers: [{ url: '/', description: 'The service that this description is of, in production or local.', 'x-internal': false }],
        tags: groups,
        paths,
        webhooks: webhooksOf(shared),
        components: {
            schemas: sorted(schemas), responses: sorted(shared.responses), parameters: sorted(shared.parameters), securitySchemes,
            headers: Object.fromEntries(Object.entries(headers).filter(([name]) => referring.includes(`"#/components/headers/${name}"`)))
        }
    };
    return JSON.stringify(document, bounded).replace(/\{([A-Z_]+)\}/g, (_text, name) => String(defined(settings.get(name))));
}

/** Schemas of most responses, which also have examples of their own: their references make most of what a client has to resolve. */
const repeated = new Set(['Error', 'Problem']);

const sorted = (named: Record<string, object>): Record<string, object> => {
    return Object.fromEntries(Object.entries(named).sort(([a], [b]) => a.localeCompare(b, 'en')));
};
