import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { server as hapiServer } from '@hapi/hapi';
import inert from '@hapi/inert';
import { Pool } from 'pg';

/** A project as the yardstick returns it: one row and its JSON, nothing else of the contract. */
const row = `
    select p.id::text as id, p.user_id::text as user_id, p.version, p.title, p.description, p.tags, p.remixed_from::text as remixed_from,
        p.featured, p.thumbnail, p.revision, p.created_at, p.updated_at, u.id::text as author_id, u.username, u.language, u.staff,
        u.moderator, u.revision as author_revision, u.created_at as author_created_at, u.updated_at as author_updated_at
    from projects p join users u on u.id = p.user_id where p.id = $1 and p.deleted_at is null and u.deleted_at is null`;

/** What an upload has to do at least: each step does all before it too. */
export const uploadSteps = ['writes', 'hashes', 'commits'] as const;

/** Receives a body in a file, as far as the step says. */
async function receive(body: Readable, file: string, step: number, db: Pool): Promise<string> {
    const hash = createHash('sha256');
    if (step > 0) {
        body.on('data', (chunk: Buffer) => hash.update(chunk));
    }

    await pipeline(body, createWriteStream(file, { flags: 'wx', highWaterMark: 512 * 1024 }));
    const handle = await open(file, 'r');
    await handle.sync();
    await handle.close();
    if (step > 1) {
        // The smallest transaction that PostgreSQL brings to its disk.
        await db.query(`select pg_logical_emit_message(true, 'bench', 'upload')`);
    }

    return hash.digest('hex');
}

/**
 * The servers that Pagewright is compared with, in the same run: `node:http` and hapi with the same bytes and no database,
 * hapi with one prepared query through `pg`, which is the yardstick, hapi with inert for files, and hapi that receives files.
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
    else if (kind === 'uploads') {
        const db = new Pool({ connectionString: url, max: pool });
        for (const [step, name] of uploadSteps.entries()) {
            server.route<{ Payload: Readable }>({
                method: 'PUT',
                path: `/${name}`,
                options: { payload: { output: 'stream', parse: false, maxBytes: 16 * 1024 * 1024 } },
                handler: ({ payload }) => receive(payload, join(path, randomUUID()), step, db)
            });
        }
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
