import { gunzipSync, inflateSync } from 'node:zlib';

import type { ServerInjectResponse } from '@hapi/hapi';
import Ajv from 'ajv/dist/2020';

import type { Description, Operation, Reply, Schema } from './description';

/** An answer as a client reads it. */
export interface Received {
    status: number;
    headers: ServerInjectResponse['headers'];
    bytes: Buffer;
    /** undefined where there is none, or where it is no JSON */
    body: unknown;
}

const isoTime = (text: string): boolean => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** Holds values to the schemas of a description. */
export class Schemas {
    readonly #ajv: Ajv;
    readonly #components: Description['components'];
    readonly #compiled = new Map<Schema, ReturnType<Ajv['compile']>>();

    constructor({ components }: Description) {
        this.#components = components;
        // A string that may be null has two types, and "one of these is required" stands beside its type; both are as JSON Schema means them.
        this.#ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, formats: { 'date-time': isoTime, 'uri-reference': (text: string) => URL.canParse(text, 'http://a') } });
        this.#ajv.addKeyword('components');
        this.#ajv.addSchema({ $id: 'openapi.json', components: { schemas: components.schemas } });
    }

    /** What is wrong with a value; undefined where nothing is. */
    fault(schema: Schema, value: unknown): string | undefined {
        let validate = this.#compiled.get(schema);
        if (validate === undefined) {
            // References in it are to the whole description.
            validate = this.#ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components')));
            this.#compiled.set(schema, validate);
        }

        return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
    }

    /** What is wrong with an error where no operation is described. */
    errorFault(value: unknown): string | undefined {
        return this.fault({ $ref: '#/components/schemas/Error' }, value);
    }

    /** What of an answer is not as its operation describes it. */
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

    #bodyFaults({ content }: Reply, method: string, { headers, bytes, body }: Received): string[] {
        if (method === 'HEAD' || content === undefined) {
            return bytes.length === 0 ? [] : ['a body where there should be none'];
        }

        const described = Object.entries(content).map(([type, { schema }]) => {
            const fault = String(headers['content-type']) === `${type}; charset=utf-8` ? this.fault(schema, body) : `the content type ${headers['content-type']} is not described`;
            return fault === undefined ? [] : [fault];
        });
        return described.flat();
    }
}

/** Reads an answer as a client does, its encoding included. */
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
