import { EventStream } from '../http/event-stream';

/** A change of a project, as it is sent. */
export interface Change {
    revision: number;
    /** JSON text of the event's data */
    data: string;
}

/** Number of changes that are sent one by one. If there are more, only the newest is sent, and the client reads the others from `changes`. */
export const MOST_TOLD = 100;

/** A stream of the changes of one project. */
export class ProjectStream extends EventStream {
    /** the newest revision that the client knows */
    seen: number;
    /** the user whose stream it is; null if the project was public when it began, so that the token was not checked */
    readonly reader: string | null;
    /** the hash of their token, if this service issued it: the stream ends when the token does */
    readonly token: Buffer | null;
    readonly #mayReturn: boolean;

    /**
     * @param most as `EventStream` takes it
     * @param mayReturn whether the client sent a token that was not checked: its user may still be allowed to see the project
     */
    constructor(seen: number, most: number, { reader = null, token = null, mayReturn = false }: { reader?: string | null; token?: Buffer | null; mayReturn?: boolean } = {}) {
        super(most);
        this.seen = seen;
        this.reader = reader;
        this.token = token;
        this.#mayReturn = mayReturn;
    }

    /** @param changes oldest first; changes that the client already knows are not sent */
    tell(changes: readonly Change[]): void {
        const unknown = changes.filter(({ revision }) => revision > this.seen);
        for (const { revision, data } of unknown.length > MOST_TOLD ? unknown.slice(-1) : unknown) {
            this.event('change', data, revision);
            this.seen = revision;
        }
    }

    /**
     * Sends that the project can no longer be read, and ends the stream. If the client may be allowed to read it with its token or with another one, it connects again instead, and gets the answer then.
     * @param expired whether the client's token is not valid any more
     */
    gone(expired: boolean): void {
        if (!this.#mayReturn && !expired) {
            this.event('gone', '{}');
        }

        this.end();
    }
}
