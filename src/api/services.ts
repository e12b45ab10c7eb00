import type { Knex } from 'knex';

import type { Config } from '../config';
import type { Replica } from '../database/statements/replica';

/** The dependencies of the resources' plugins. */
export interface Services {
    config: Config;
    db: Knex;
    /** a replica, if there is one, for reads that may lag */
    replica?: Replica | undefined;
    /** the current time, in milliseconds since 1970 */
    now: () => number;
}
