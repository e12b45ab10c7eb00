import type { Knex } from 'knex';

import type { AssetStorage } from './assets/storage';
import type { Config } from './config';
import type { Replica } from './db/replica';

/** What the plugins of the resources are given. */
export interface Services {
    config: Config;
    db: Knex;
    /** where there is one, for what may lag */
    replica?: Replica | undefined;
    /** the bytes of pictures and sounds */
    assets: AssetStorage;
    /** the current time, in milliseconds since 1970 */
    now: () => number;
}
