import type { components } from './schema.js';
import type { Schemas } from './things.js';

type Body = Schemas['Error'] & { current?: Schemas['User'] | Schemas['Thing'] };
type Answers = components['responses'];
type AnswerBody<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : never;

/** The codes that the description lists. */
export type ErrorCode = NonNullable<Extract<AnswerBody<Answers[keyof Answers]>, { code?: string }>['code']>;

/** A response of the service that is not a success. Failures of the network stay what `fetch` makes of them. */
export class PagewrightError extends Error {
    override readonly name: string = 'PagewrightError';
    readonly status: number;
    /** stable name, as `coordinates_taken`; `error` where something between here and the service answered */
    readonly code: ErrorCode | (string & {});
    /** every fault of a request that does not validate */
    readonly details: NonNullable<Body['details']>;
    /** how the thing stands, where a revision did not match */
    readonly current: Body['current'];
    /** which action of a bulk failed, counted from 0 */
    readonly action: number | undefined;
    /** what the service's log knows the request by */
    readonly requestId: string | undefined;
    /** seconds after which to try again, where the answer says so and a browser lets it be read */
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

/** `Retry-After` in seconds, given as such or as a date (RFC 9110 section 10.2.3). */
export function retryAfterOf({ headers }: Response): number | undefined {
    const field = headers.get('Retry-After');
    if (field === null) {
        return undefined;
    }

    const seconds = /^\d+$/.test(field) ? Number(field) : (Date.parse(field) - Date.now()) / 1000;
    return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** What the body of an error says; nothing where a proxy answered in its own words. */
export async function errorBodyOf(response: Response): Promise<Partial<Body>> {
    const body: unknown = await response.clone().json().catch(() => undefined);
    return typeof body === 'object' && body !== null ? body : {};
}
