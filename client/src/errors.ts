import type { components } from './schema.js';
import type { Schemas } from './things.js';

/** The body of an error, with the fields that only some errors have. */
export type ErrorBody = Schemas['Error'] & Omit<Partial<Schemas['ThingConflict']>, 'current' | 'conflicts'> & {
    current?: Schemas['Account'] | Schemas['Thing'];
    conflicts?: (string | ChangedSince | MergeConflict)[];
};

/** Something that a change did and that was changed since: `fields` are JSON Pointers (RFC 6901), none if it is about the whole thing. */
export type ChangedSince = NonNullable<Schemas['UndoConflict']['conflicts']>[number];
/** Something that both a remix and its source changed: `fields` are JSON Pointers (RFC 6901), none if one side removed it. `id` is null if the remix does not have it any more. */
export type MergeConflict = NonNullable<Schemas['MergeConflict']['conflicts']>[number];
type Answers = components['responses'];
type AnswerBody<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : never;

/** The error codes in the API description. */
export type ErrorCode = NonNullable<Extract<AnswerBody<Answers[keyof Answers]>, { code?: string }>['code']>;

/** A response of the service that is not a success. If the network fails, you get the error of `fetch` instead. */
export class PagewrightError extends Error {
    override readonly name: string = 'PagewrightError';
    readonly status: number;
    /** the body of the response */
    readonly body: Partial<ErrorBody>;
    /** stable name, such as `coordinates_taken`; `error` if the response is from something else, such as a proxy */
    readonly code: ErrorCode | (string & {});
    /** all errors of an invalid request */
    readonly details: NonNullable<ErrorBody['details']>;
    /** the current state of the thing, if a revision did not match */
    readonly current: ErrorBody['current'];
    /** the thing at the revision that was stated, if a revision did not match; null if that is not known */
    readonly base: ErrorBody['base'];
    /** JSON Pointers (RFC 6901) to what both sides changed to different values, such as `/title`, `/position` and `/attributes/text` */
    readonly conflicts: readonly string[];
    /** after `undo_conflict`, what has changed since */
    readonly changedSince: readonly ChangedSince[];
    /** after `merge_conflict`, what both sides changed */
    readonly mergeConflicts: readonly MergeConflict[];
    /** who changed the thing last, if a revision did not match; null if that is not known */
    readonly changedBy: ErrorBody['changed_by'];
    /** which action of a bulk failed, counted from 0 */
    readonly action: number | undefined;
    /** after `history_gone`, the closest older point that is kept; null if there is none */
    readonly nearest: number | null | undefined;
    /** after `suspended`, why, and until when */
    readonly suspension: ErrorBody['suspension'];
    /** the id of the request in the service's log */
    readonly requestId: string | undefined;
    /** seconds after which to try again, if the response says so and the browser lets us read it */
    readonly retryAfter: number | undefined;

    /** @param body as the service sends it */
    constructor(status: number, body: Partial<ErrorBody>, retryAfter?: number) {
        super(body.message ?? `The service answered ${status}`);
        this.status = status;
        this.body = body;
        this.code = body.code ?? 'error';
        this.details = body.details ?? [];
        this.current = body.current;
        this.base = body.base;
        this.conflicts = (body.conflicts ?? []).filter((conflict) => typeof conflict === 'string');
        const things = (body.conflicts ?? []).filter((conflict) => typeof conflict === 'object');
        this.changedSince = things.filter((conflict): conflict is ChangedSince => !('source_id' in conflict));
        this.mergeConflicts = things.filter((conflict): conflict is MergeConflict => 'source_id' in conflict);
        this.changedBy = body.changed_by;
        this.action = body.action;
        this.nearest = body.nearest;
        this.suspension = body.suspension;
        this.requestId = body.request_id;
        this.retryAfter = retryAfter;
    }
}

/** `Retry-After` in seconds; the header may also be a date (RFC 9110 section 10.2.3). */
export function retryAfterOf({ headers }: Response): number | undefined {
    const field = headers.get('Retry-After');
    if (field === null) {
        return undefined;
    }

    const seconds = /^\d+$/.test(field) ? Number(field) : (Date.parse(field) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** The body of an error; empty if it is not the service's own, for example a proxy's. */
export async function errorBodyOf(response: Response): Promise<Partial<ErrorBody>> {
    const body: unknown = await response.clone().json().catch(() => undefined);
    return typeof body === 'object' && body !== null ? body : {};
}
