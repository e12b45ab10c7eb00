import { EventStream } from '../http/event-stream';

/** A change of a project, as it is told. */
export interface Change {
    revision: number;
    /** JSON text of what is told */
    data: string;
}

/** Changes that are told one by one. If there are more, only the newest is: the client reads all else from `changes`. */
export const MOST_TOLD = 100;

/** A stream of the changes of one project. */
export class ProjectStream extends EventStream {
    /** the revision up to which the client knows the project */
    seen: number;

    /** @param most as `EventStream` takes it */
    constructor(seen: number, most: number) {
        super(most);
        this.seen = seen;
    }

    /** @param changes oldest first; those that the client knows are left out */
    tell(changes: readonly Change[]): void {
        const unknown = changes.filter(({ revision }) => revision > this.seen);
        for (const { revision, data } of unknown.length > MOST_TOLD ? unknown.slice(-1) : unknown) {
            this.event('change', data, revision);
            this.seen = revision;
        }
    }

    /** Tells that the project can no longer be read, and ends. */
    gone(): void {
        this.event('gone', '{}');
        this.end();
    }
}
