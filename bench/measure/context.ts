import type { Embedded } from '../../src/database/embedded';
import type { Processes } from './processes';

/** What a run gets from its process. */
export interface Context {
    /** for scripts and logs; deleted at the end */
    dir: string;
    processes: Processes;
    /** must be called for every database that was started */
    opened(embedded: Embedded): void;
    log(message: string): void;
}
