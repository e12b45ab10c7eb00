import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';

import { server as hapiServer } from '@hapi/hapi';
import inert from '@hapi/inert';
import { Pool } from 'pg';

/** A project as the yardstick returns it: one row and its JSON, nothing else of the contract. */
const row = `
    select p.id::text as id, p.user_id::text as user_id, p.version, p.title, p.description, p.tags, p.remixed_from::text as remixed_from,
        p.featured, p.thumbnail, p.revision, p.created_at, p.updated_at, u.id::text as author_id, u.username, u.language, u.staff,
        u.moderator, u.revision as author_revision, u.created_at as author_created_at, u.updated_at as author_updated_at
    from projects p join users u on u.id = p.user_id where p.id = $1 and p.deleted_at is null and u.deleted_at is null`;

/**
 * The servers that Pagewright is compared with, in the same run: `node:http` and hapi with the same bytes and no database,
 * hapi with one prepared query through `pg`, which is the yardstick, and hapi with inert for files.
 * @param path of a file with the bytes, or of the folder with the files
 */
export async function startPeer(kind: string, url: string, pool: number, path: string): Promise<number> {
    if (kind === 'http') {
        const bytes = readFileSync(path, 'utf8');
        const server = createHttpServer((_request, response) => {
            response.setHeader('content-type', 'application/json; charset=utf-8');
            response.end(bytes);
        });
        return listen(server);
    }

    const server = hapiServer({ host: '127.0.0.1', port: 0 });
    if (kind === 'files') {
        await server.register(inert);
        server.route({ method: 'GET', path: '/{name}', handler: { directory: { path } } });
    }
    else if (kind === 'hapi') {
        const bytes = readFileSync(path, 'utf8');
        server.route({ method: 'GET', path: '/{path*}', handler: (_request, h) => h.response(bytes).type('application/json; charset=utf-8') });
    }
    else {
        const db = new Pool({ connectionString: url, max: pool });
        server.route<{ Params: { project: string } }>({
            method: 'GET',
            path: '/projects/{project}',
            handler: async (request) => {
                const { rows } = await db.query({ name: 'one', text: row, values: [request.params.project] });
                return { status: 'success', project: rows[0] };
            }
        });
    }

    await server.start();
    return Number(server.info.port);
}

function listen(server: Server): Promise<number> {
    return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
        });
    });
}
