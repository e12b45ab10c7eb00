import type { Knex } from 'knex';

import type { Config } from './config';

/** What the plugins of the resources are given. */
export interface Services {
    config: Config;
    db: Knex;
    /** the current time, in milliseconds since 1970 */
    now: () => number;
}
