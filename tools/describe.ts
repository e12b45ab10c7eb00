import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import knex from 'knex';
import pino from 'pino';

import { folderStorage } from '../src/assets/folder-storage';
import { readConfig } from '../src/config';
import { describe } from '../src/openapi/document';
import { createServer } from '../src/server';

/** Writes `openapi.json`, which a test compares with the server's own. It needs no database. */
async function main(): Promise<void> {
    const server = await createServer({ config: readConfig({}), db: knex({ client: 'pg' }), assets: folderStorage('unused'), now: Date.now, logger: pino({ level: 'silent' }) });
    writeFileSync(resolve('openapi.json'), `${JSON.stringify(describe(server), null, 2)}\n`);
}

void main();
