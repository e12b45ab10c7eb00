import type { components } from './schema.js';
import type { Schemas } from './things.js';

type Body = Schemas['Error'] & { current?: Schemas['User'] | Schemas['Thing'] };
type Answers = components['responses'];
type AnswerBody<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : never;

/** The error codes in the API description. */
export type ErrorCode = NonNullable<Extract<AnswerBody<Answers[keyof Answers]>, { code?: string }>['code']>;

/** A response of the service that is not a success. If the network fails, you get the error of `fetch` instead. */
export class PagewrightError extends Error {
    override readonly name: string = 'PagewrightError';
    readonly status: number;
    /** stable name, such as `coordinates_taken`; `error` if the response is from something else, such as a proxy */
    readonly code: ErrorCode | (string & {});
    /** all errors of an invalid request */
    readonly details: NonNullable<Body['details']>;
    /** the current state of the thing, if a revision did not match */
    readonly current: Body['current'];
    /** which action of a bulk failed, counted from 0 */
    readonly action: number | undefined;
    /** the id of the request in the service's log */
    readonly requestId: string | undefined;
    /** seconds after which to try again, if the response says so and the browser lets us read it */
    readonly retryAfter: number | undefined;

    constructor(status: number, body: Partial<Body>, retryAfter?: number) {
        super(body.message ?? `The service answered ${status}`);
        this.status = status;
        this.code = body.code ?? 'error';
        this.details = body.details ?? [];
        this.current = body.current;
        this.action = body.action;
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
export async function errorBodyOf(response: Response): Promise<Partial<Body>> {
    const body: unknown = await response.clone().json().catch(() => undefined);
    return typeof body === 'object' && body !== null ? body : {};
}
