import type { Knex } from 'knex';

import { byCitus } from '../declaration';
import { runAlways, statement } from './statement';

const setting = statement({ row: { on: 'boolean' }, place: byCitus }, `select current_setting('transaction_read_only')::boolean as on`);

/** Whether the database takes no writes: it is a standby, or its operator lets it only read. */
export const isReadOnly = async (db: Knex): Promise<boolean> => (await runAlways(db, setting, [])).on;
