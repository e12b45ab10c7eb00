import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Knex } from 'knex';

import { releasedNames } from '../../migrations';
import { alone, note } from '../../src/database/statements/migrate';

const schema = readFileSync(join(__dirname, 'release-0.3.0.sql'), 'utf8');

/** Gives an empty database the schema of 0.3.0, the oldest that is brought up to date. */
export const makeRelease030 = (db: Knex): Promise<void> => alone(db, async (trx) => {
    await trx.raw(schema.replaceAll('?', '\\?'));
    await note(trx, releasedNames);
});
