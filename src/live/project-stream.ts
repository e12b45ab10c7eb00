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
    /** the user whose stream it is; null if the project was for everybody when it began, and nobody looked at a token */
    readonly reader: string | null;
    readonly #mayReturn: boolean;

    /**
     * @param most as `EventStream` takes it
     * @param mayReturn whether the client sent a token that nobody looked at: it may be one that still can see the project
     */
    constructor(seen: number, most: number, reader: string | null = null, mayReturn = false) {
        super(most);
        this.seen = seen;
        this.reader = reader;
        this.#mayReturn = mayReturn;
    }

    /** @param changes oldest first; those that the client knows are left out */
    tell(changes: readonly Change[]): void {
        const unknown = changes.filter(({ revision }) => revision > this.seen);
        for (const { revision, data } of unknown.length > MOST_TOLD ? unknown.slice(-1) : unknown) {
            this.event('change', data, revision);
            this.seen = revision;
        }
    }

    /** Tells that the project can no longer be read, and ends. A client with a token connects again instead, and is told then. */
    gone(): void {
        if (!this.#mayReturn) {
            this.event('gone', '{}');
        }

        this.end();
    }
}
