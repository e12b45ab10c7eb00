import { isBoom } from '@hapi/boom';

import { EventStream } from '../../api/request/event-stream';

/** A change of a project, as it is sent. */
export interface StreamedChange {
    revision: number;
    /** JSON text of the event's data */
    data: string;
}

/** Something that happened to a comment, as it is sent. */
export interface StreamedComment {
    /** how often something had happened to the comments of the project by then */
    changed: number;
    /** JSON text of the event's data */
    data: string;
}

/** Number of changes that are sent one by one. If there are more, only the newest is sent, and the client reads the others from `changes`. */
export const MAX_CHANGES_PER_EVENT = 100;

/** By what right a stream is read; empty if everybody may read the project, so that no token was checked. */
export interface StreamReader {
    /** id of the user whose stream it is */
    reader?: string | undefined;
    /** the hash of their token, if this service issued it: the stream ends when the token does */
    token?: Buffer | undefined;
}

/** A stream of the changes of one project. */
export class ProjectStream extends EventStream {
    /** the newest revision that the client knows */
    seen: number;
    /** how often something had happened to the comments by the last event that tells of one; what happened before, the client reads */
    comments: number;
    #as: StreamReader;
    readonly #readAgain: (() => Promise<StreamReader | undefined>) | undefined;

    /**
     * @param most as `EventStream` takes it
     * @param readAgain if the client sent a token: looks at it, and at the project, once more
     * @param comments how often something has happened to the comments
     */
    constructor(seen: number, most: number, as: StreamReader = {}, readAgain?: () => Promise<StreamReader | undefined>, comments = 0) {
        super(most);
        this.seen = seen;
        this.comments = comments;
        this.#as = as;
        this.#readAgain = readAgain;
    }

    get as(): StreamReader {
        return this.#as;
    }

    /** @param changes oldest first; changes that the client already knows are not sent */
    tell(changes: readonly StreamedChange[]): void {
        const unknown = changes.filter(({ revision }) => revision > this.seen);
        for (const { revision, data } of unknown.length > MAX_CHANGES_PER_EVENT ? unknown.slice(-1) : unknown) {
            this.event('change', data, revision);
            this.seen = revision;
        }
    }

    /**
     * Tells of comments. Such an event has no id, as that is a revision. @param all oldest first; what the client was told is not sent
     * again
     */
    tellOfComments(all: readonly StreamedComment[]): void {
        for (const { changed, data } of all.filter((one) => one.changed > this.comments)) {
            this.event('comment', data);
            this.comments = changed;
        }
    }

    /**
     * Called if the project can no longer be read as it was. If the client's token still lets it be read, the stream goes on by that.
     * Otherwise it sends that the project is gone, and ends; if only the token has expired, it ends without that, and the client gets the
     * answer when it connects again.
     * @returns whether it goes on
     */
    async goesOn(expired: boolean): Promise<boolean> {
        const as = expired ? undefined : await this.#readAgain?.().catch((error) => {
            // A token that is not valid is worth none. Any other error may be over when the client connects again.
            expired = !(isBoom(error) && error.output.statusCode < 500);
        });
        if (as !== undefined) {
            this.#as = as;
            return !this.destroyed;
        }

        if (!expired) {
            this.event('gone', '{}');
        }

        this.end();
        return false;
    }
}
