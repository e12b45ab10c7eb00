import { gunzipSync, inflateSync } from 'node:zlib';

import type { ServerInjectResponse } from '@hapi/hapi';
import Ajv from 'ajv/dist/2020';

import type { Description, Operation, Reply, Schema } from './description';

/** A response as a client reads it. */
export interface Received {
    status: number;
    headers: ServerInjectResponse['headers'];
    bytes: Buffer;
    /** undefined if there is none, or it is not JSON */
    body: unknown;
}

const isoTime = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Checks values against the schemas of an API description. */
export class Schemas {
    readonly #ajv: Ajv;
    readonly #components: Description['components'];
    readonly #compiled = new Map<Schema, ReturnType<Ajv['compile']>>();

    constructor({ components }: Description) {
        this.#components = components;
        // Nullable strings have two types, and `required` in `anyOf` repeats no type. Both are valid JSON Schema, but not in Ajv's strictest mode.
        this.#ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, formats: { 'date-time': isoTime, 'int32': true, 'int64': true, 'uri': (text: string) => URL.canParse(text), 'uri-reference': (text: string) => URL.canParse(text, 'http://a') } });
        this.#ajv.addKeyword('components');
        this.#ajv.addSchema({ $id: 'openapi.json', components: { schemas: components.schemas } });
    }

    /** What is wrong with a value; undefined if nothing is. */
    fault(schema: Schema, value: unknown): string | undefined {
        let validate = this.#compiled.get(schema);
        if (validate === undefined) {
            // Its references lead into the whole description.
            validate = this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components')));
            this.#compiled.set(schema, validate);
        }

        return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
    }

    /** What is wrong with an error response, if no operation is described. */
    errorFault(value: unknown): string | undefined {
        return this.fault({ $ref: '#/components/schemas/Error' }, value);
    }

    /** The differences between a response and the description of its operation. */
    faultsOf(operation: Operation, method: string, received: Received): string[] {
        const reply = operation.replies.get(received.status);
        if (reply === undefined) {
            return [`status ${received.status} is not described`];
        }

        return [...this.#headerFaults(reply, received), ...this.#bodyFaults(reply, method, received)];
    }

    #headerFaults({ headers: described }: Reply, { headers }: Received): string[] {
        return Object.entries(this.#components.headers).flatMap(([name, { required, schema }]) => {
            const value = headers[name.toLowerCase()];
            if (value === undefined) {
                return required === true && name in described ? [`the header ${name} is missing`] : [];
            }

            const fault = name in described ? this.fault(schema, schema.type === 'integer' ? Number(value) : value) : 'is not described';
            return fault === undefined ? [] : [`the header ${name}: ${fault}`];
        });
    }

    #bodyFaults({ content }: Reply, method: string, { headers, bytes, body: json }: Received): string[] {
        if (method === 'HEAD' || content === undefined) {
            return bytes.length === 0 ? [] : ['a body where there should be none'];
        }

        const [type = '', charset] = String(headers['content-type']).split('; ');
        const described = content[type];
        if (described === undefined || (described.schema !== undefined && charset !== 'charset=utf-8')) {
            return [`the content type ${headers['content-type']} is not described`];
        }

        const fault = described.schema && this.fault(described.schema, type === 'application/json' ? json : bytes.toString());
        return fault === undefined ? [] : [fault];
    }
}

/** Reads a response as a client does, and decodes it. */
export function read({ statusCode: status, headers, rawPayload }: ServerInjectResponse, method: string): Received {
    const inflate = { gzip: gunzipSync, deflate: inflateSync }[String(headers['content-encoding'])];
    const bytes = inflate === undefined || method === 'HEAD' || rawPayload.length === 0 ? rawPayload : inflate(rawPayload);
    let body: unknown;
    try {
        body = JSON.parse(bytes.toString());
    }
    catch {
        body = undefined;
    }

    return { status, headers, bytes, body };
}
