import type { Knex } from 'knex';

import type { FilePool } from '../files/assets/file-work';
import type { AssetStorage } from '../files/assets/storage';
import type { Config } from '../config';
import type { Replica } from '../database/statements/replica';

/** The dependencies of the resources' plugins. */
export interface Services {
    config: Config;
    db: Knex;
    /** a replica, if there is one, for reads that may lag */
    replica?: Replica | undefined;
    /** the bytes of pictures and sounds */
    assets: AssetStorage;
    /** processes that read and scale pictures, and check files */
    files: FilePool;
    /** the current time, in milliseconds since 1970 */
    now: () => number;
}
