import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import knex from 'knex';
import pino from 'pino';

import { folderStorage } from '../src/files/assets/folder-storage';
import { readConfig } from '../src/config/index';
import { publishedSchemas } from '../src/files/format/schemas';
import { describe } from '../src/api/description/document';
import { createServer } from '../src/operations/server';
import { filePool } from '../src/files/thumbnails/file-pool';

/** Writes `openapi.json` and `schemas/`, which tests compare with the server's own. It needs no database, and nothing that is built of the description: the client, and so the site. */
async function main(): Promise<void> {
    const config = readConfig({ SITE: 'off' });
    const server = await createServer({ config, db: knex({ client: 'pg' }), assets: folderStorage('unused'), files: filePool(), now: Date.now, logger: pino({ level: 'silent' }) });
    writeFileSync(resolve('openapi.json'), `${JSON.stringify(JSON.parse(describe(server, config)), null, 2)}\n`);
    mkdirSync('schemas', { recursive: true });
    for (const [name, schema] of Object.entries(publishedSchemas)) {
        writeFileSync(resolve('schemas', name), `${JSON.stringify(schema, null, 2)}\n`);
    }
}

void main();
