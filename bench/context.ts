import type { Embedded } from '../src/embedded-postgres';
import type { Processes } from './measure/processes';

/** What a run is given by the process that it is in. */
export interface Context {
    /** for scripts and logs; goes with the process */
    dir: string;
    processes: Processes;
    /** has to be told of every database that was started */
    opened(embedded: Embedded): void;
    log(message: string): void;
}
