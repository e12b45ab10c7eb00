import { fieldOf } from '../../api/json/is-object';
import { JsonBytes, JsonText, LateJson, jsonOf } from '../../api/json/json-text';
import type { Method } from '../../api/representations/things';
import { MAX_REPEATED_BYTES, MAX_RESULT_BYTES } from '../../limits';
import type { Kind } from './schema';

/** The result of an action: a thing, or the removal of one. */
export interface Result {
    id: string;
    type: Kind;
    method: Method;
    /** not that of what was removed */
    revision?: number;
    /** an update that was merged with what others wrote */
    merged?: boolean;
    status?: 'deleted';
    /** of an element, whose own `type` this is */
    element_type?: string;
}

/** The fields of each kind of thing that may be large. */
const contents: Readonly<Record<Kind, readonly string[]>> = { projects: ['thumbnail'], pages: ['styles', 'elements'], elements: ['attributes', 'styles'] };

/** Characters of a thing's contents; undefined if some of them were not loaded, so that it cannot be shown whole. */
export function contentLength(kind: Kind, thing: unknown): number | undefined {
    let length = 0;
    for (const name of contents[kind]) {
        const value: unknown = fieldOf(thing, name);
        const parts = value instanceof JsonText ? [value.text.length] : Array.isArray(value) ? value.map((element) => contentLength('elements', element)) : [undefined];
        for (const part of parts) {
            if (part === undefined) {
                return undefined;
            }

            length += part;
        }
    }

    return length;
}

/** Writes the results of a bulk as its actions run, since a later action may change what an earlier one has shown. */
export class ResultWriter {
    readonly #whole = new JsonBytes('{"status":"success","results":[');
    readonly #short: object[] = [];
    readonly #shown = new Set<string>();
    #mostRepeated = MAX_REPEATED_BYTES;

    /**
     * Adds the result of the next action: whole if that fits, or else its id and revision.
     * A thing that was shown before is shown whole again only while the answer is small. It has the revision that it has after the whole bulk, which the next write can state.
     * @param last reads that revision when the bulk is complete
     */
    async add(result: Result, last: () => unknown): Promise<void> {
        const { id, type, method, merged } = result;
        const isShown = result.revision !== undefined;
        const separator = this.#short.length === 0 ? '' : ',';
        const key = `${type} ${id}`;
        const isRepeated = this.#shown.has(key);
        const late = isShown ? { revision: new LateJson(() => String(last())) } : {};
        const short = isShown ? { id, ...late, type, method, ...merged && { merged } } : result;
        this.#shown.add(key);
        this.#short.push(short);

        const most = isRepeated ? this.#mostRepeated : MAX_RESULT_BYTES;
        const length = isShown ? contentLength(type, result) : 0;
        if (length === undefined || this.#whole.length + length > most || !await this.#whole.add({ ...result, ...late }, separator, most)) {
            // Once one was too large, all are: to try each would take its time.
            this.#mostRepeated = isRepeated && length !== undefined ? 0 : this.#mostRepeated;
            await this.#whole.add(short, separator);
        }
    }

    /** The response body. */
    body(): Buffer {
        return this.#whole.end(']}');
    }

    /** The response body with no thing shown whole: at most about 100 bytes for each action. */
    shortBody(): string {
        return jsonOf({ status: 'success', results: this.#short });
    }
}
