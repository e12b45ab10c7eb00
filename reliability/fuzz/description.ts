/** The part of JSON Schema that our description uses. */
export interface Schema {
    $ref?: string;
    type?: string | string[];
    const?: unknown;
    enum?: unknown[];
    anyOf?: Schema[];
    dependentRequired?: Record<string, string[]>;
    oneOf?: Schema[];
    examples?: unknown[];
    pattern?: string;
    minLength?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    items?: Schema;
    minItems?: number;
    maxItems?: number;
    uniqueItems?: boolean;
    properties?: Record<string, Schema>;
    patternProperties?: Record<string, Schema>;
    additionalProperties?: boolean;
    required?: string[];
}

export interface Parameter {
    name: string;
    in: 'path' | 'query' | 'header';
    required: boolean;
    schema: Schema;
}

export interface Reply {
    headers: Record<string, { $ref: string }>;
    /** by media type; bytes, such as those of a picture, have no schema */
    content?: Record<string, { schema?: Schema }>;
}

interface Described {
    operationId: string;
    security: Record<string, string[]>[];
    parameters: { $ref: string }[];
    requestBody?: { content: Record<string, { schema?: Schema }> };
    responses: Record<string, Reply | { $ref: string }>;
}

/** The part of `/openapi.json` that is used here. */
export interface Description {
    paths: Record<string, Record<string, Described>>;
    components: {
        schemas: Record<string, Schema>;
        responses: Record<string, Reply>;
        parameters: Record<string, Parameter>;
        headers: Record<string, { required?: boolean; schema: Schema }>;
    };
}

/** One operation with everything that it refers to, except its schemas. */
export interface Operation {
    operationId: string;
    method: string;
    path: string;
    /** a token needs one of these scopes; undefined if none is needed */
    scopes: string[] | undefined;
    parameters: Parameter[];
    /** undefined if no body is described */
    body: Schema | undefined;
    /** the media types of the body, if it is bytes without a schema; else empty */
    takes: string[];
    /** by status */
    replies: Map<number, Reply>;
}

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';

/** Follows a reference into the description. @throws Error if it leads nowhere */
export function found<T>(named: Record<string, T>, { $ref }: { $ref: string }): T {
    const one = named[nameIn($ref)];
    if (one === undefined) {
        throw new Error(`The description refers to ${$ref}, which it does not have`);
    }

    return one;
}

export function operationsOf({ paths, components }: Description): Operation[] {
    return Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, described]): Operation => ({
        operationId: described.operationId,
        method: method.toUpperCase(),
        path,
        scopes: described.security.length === 0 || described.security.some((one) => Object.keys(one).length === 0) ? undefined :
            described.security.flatMap((one) => Object.values(one).flat()),
        parameters: described.parameters.map((one) => found(components.parameters, one)),
        body: described.requestBody?.content['application/json']?.schema,
        takes: Object.keys(described.requestBody?.content ?? {}).filter((type) => type !== 'application/json'),
        replies: new Map(Object.entries(described.responses).map(([status, one]) => [Number(status), '$ref' in one ? found(components.responses, one) : one]))
    })));
}
