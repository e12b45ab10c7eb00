import { parseLike } from '../../database/samples';
/** The media type of an error as RFC 9457 has it. */
export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Whether a client prefers an error as RFC 9457 has it. One that names it beside `application/json` and likes both as much does: successes are
 * JSON, so it has to name both.
 */
export function prefersProblem(accept: unknown): boolean {
    // Most clients do not name it, and need not be parsed.
    if (typeof accept !== 'string' || !accept.toLowerCase().includes(PROBLEM_TYPE)) {
        return false;
    }

    const weights = new Map(accept.toLowerCase().split(',').map((range): [string, number] => {
        const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
        return [type, Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)];
    }));
    const problem = weights.get(PROBLEM_TYPE) ?? 0;
    return problem > 0 && problem >= (weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0);
}

/** Path of the page that says what each error code means; its part about one is named by the code. */
export const PROBLEMS_PATH = '/docs/errors';

/** The fields of all errors. */
interface ErrorBody {
    statusCode: number;
    message: string;
    code: string;
    error: string;
}

/** The body of an error in the form of RFC 9457. @param body JSON text of the error as this service makes it @param path of the request */
export function problemOf(body: string, path: string): string {
    const { statusCode, message, code, error: _name, ...more } = parseLike<ErrorBody>(body, { statusCode: 400, message: '', code: '', error: '' });
    return JSON.stringify({ type: `${PROBLEMS_PATH}#${code}`, title: titleOf(code), status: statusCode, detail: message, instance: path, code, ...more });
}

/** The kind of an error in words: `revision_conflict` is "Revision conflict". */
const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');
