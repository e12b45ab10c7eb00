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
    /** the hash of their token, if it is one of ours: the stream ends when that does */
    readonly token: Buffer | null;
    readonly #mayReturn: boolean;

    /**
     * @param most as `EventStream` takes it
     * @param mayReturn whether the client sent a token that nobody looked at: it may be one that still can see the project
     */
    constructor(seen: number, most: number, { reader = null, token = null, mayReturn = false }: { reader?: string | null; token?: Buffer | null; mayReturn?: boolean } = {}) {
        super(most);
        this.seen = seen;
        this.reader = reader;
        this.token = token;
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

    /**
     * Tells that the project can no longer be read, and ends. A client that may still read it with its token, or with another one, connects again instead, and is told then.
     * @param expired whether the client's token is not valid any more
     */
    gone(expired: boolean): void {
        if (!this.#mayReturn && !expired) {
            this.event('gone', '{}');
        }

        this.end();
    }
}
