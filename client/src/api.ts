import { anyOf } from './pauses.js';
import type { paths } from './schema.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Paths of the service that have this method. */
type PathsWith<M extends Method> = { [Path in keyof paths]: paths[Path] extends { [Name in M]: { responses: object } } ? Path : never }[keyof paths];

/** Names of the fields that must be given. */
type Needed<Fields> = { [Name in keyof Fields]-?: Partial<Pick<Fields, Name>> extends Pick<Fields, Name> ? never : Name }[keyof Fields];

type Json<Type> = Type extends { content: { 'application/json': infer Value } } ? Value : never;

type ParamsOf<Operation> = Operation extends { parameters: infer Params } ? [Needed<Params>] extends [never] ? { params?: Params } : { params: Params } : never;

type BodyOf<Operation> = Operation extends { requestBody?: never } ? { body?: never } :
    Operation extends { requestBody: infer Body } ? { body: Json<Body> } :
    Operation extends { requestBody?: infer Body } ? { body?: Json<NonNullable<Body>> } : never;

/** The body of a success. */
type DataOf<Operation> = Operation extends { responses: infer Responses } ?
    { [Status in keyof Responses]: Status extends number ? `${Status}` extends `2${string}` ? Json<Responses[Status]> : never : never }[keyof Responses] : never;

/** The options of every method. */
export interface CallOptions {
    /** gives the call up when it is aborted */
    signal?: AbortSignal | undefined;
    /** milliseconds after which the call is given up, with a `TimeoutError`; further tries count too */
    timeout?: number | undefined;
}

type Options<Operation> = ParamsOf<Operation> & BodyOf<Operation> & CallOptions & { headers?: Record<string, string> };

type Call<M extends Method> = <Path extends PathsWith<M>>(
    path: Path, ...options: [Needed<Options<paths[Path][M]>>] extends [never] ? [options?: Options<paths[Path][M]>] : [options: Options<paths[Path][M]>]
) => Promise<{ data: DataOf<paths[Path][M]>; response: Response }>;

/** The service's paths with the types of what they take and return. Every response but a success is thrown as `PagewrightError`. */
export interface Api {
    GET: Call<'get'>;
    POST: Call<'post'>;
    PUT: Call<'put'>;
    PATCH: Call<'patch'>;
    DELETE: Call<'delete'>;
}

/** A call whose path and options have been checked by the types above. */
interface Checked extends CallOptions {
    headers?: Record<string, string>;
    params?: { path?: object; query?: object; header?: object };
    body?: unknown;
}

/** Sends the request of a call to a path as the description spells it. Returns successes only. */
export type SendCall = (request: Request, path: string, inPath: Readonly<Record<string, unknown>>) => Promise<Response>;

/** The signal that ends a call: when it is aborted, or its time is over. */
export function signalOf({ signal, timeout }: CallOptions): AbortSignal | undefined {
    if (timeout === undefined) {
        return signal;
    }

    const over = AbortSignal.timeout(timeout);
    return signal === undefined ? over : anyOf(signal, over);
}

/** @param url where the service is, without a slash at the end */
export function apiOf(url: string, send: SendCall): Api {
    const ask = async (method: string, path: string, { params = {}, body, headers, ...options }: Checked = {}) => {
        const inPath: Record<string, unknown> = { ...params.path };
        const query = Object.entries({ ...params.query }).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
        const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
        const response = await send(new Request(`${url}${path.replace(/\{(\w+)\}/g, (_whole, name) => encodeURIComponent(String(inPath[name])))}${search}`, {
            method,
            signal: signalOf(options) ?? null,
            headers: { ...body !== undefined && { 'Content-Type': 'application/json' }, ...headers, ...params.header },
            body: body === undefined ? null : JSON.stringify(body)
        }), path, inPath);
        return { data: await response.json(), response };
    };

    return {
        GET: (path, ...options) => ask('GET', path, ...options),
        POST: (path, ...options) => ask('POST', path, ...options),
        PUT: (path, ...options) => ask('PUT', path, ...options),
        PATCH: (path, ...options) => ask('PATCH', path, ...options),
        DELETE: (path, ...options) => ask('DELETE', path, ...options)
    };
}
