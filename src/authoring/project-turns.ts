import { workQueue } from '../concurrency/work-queue';
import type { Services } from '../services';

/** Writes of one project that hold a connection to the database at a time: one works, and the next waits for its lock. */
const MOST = 2;

/** Runs a write to a project when it is its turn. */
export type InTurn = <Result>(projectId: string, write: () => Promise<Result>) => Promise<Result>;

/** What the plugins of authoring resources are given, which share the turns. */
export interface AuthoringServices extends Services {
    inTurn: InTurn;
}

/**
 * Lets only a few writes of one project use the database at a time. Each locks the project, so more would not be faster, but the
 * writes of one client could wait for that lock on all connections, and everybody else for a connection.
 */
export function projectTurns(): InTurn {
    const queue = workQueue(Infinity, MOST);
    return (projectId, write) => queue.run(write, projectId);
}
