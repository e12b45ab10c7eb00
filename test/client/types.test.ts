import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

export const lab = script();

const { experiment, test } = lab;

const ref = (name: string): object => ({ $ref: `#/components/${name}` });

experiment('The types of the client', () => {

    const made = async (schemas: object, others: object = {}): Promise<string> => {
        const { typesOfDescription } = await import('../../client/types.js');
        return typesOfDescription({ paths: {}, webhooks: {}, components: { schemas, responses: {}, parameters: {}, headers: {} }, ...others });
    };

    const types: readonly (readonly [string, object, string])[] = [
        ['a reference', ref('schemas/Other~1one'), 'components["schemas"]["Other/one"]'],
        ['a constant', { const: 'success' }, '"success"'],
        ['null', { const: null }, 'null'],
        ['an enum that may be null', { type: ['string', 'null'], enum: ['a', 'b'] }, '"a" | "b" | null'],
        ['a list of an enum', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, '("a" | "b")[]'],
        ['numbers, or none', { type: ['integer', 'null'] }, 'number | null'],
        ['an object that may have any fields', { type: 'object', properties: {}, additionalProperties: true }, '{\n                [key: string]: unknown;\n            }'],
        ['an object that has none', { type: 'object', additionalProperties: false }, 'Record<string, never>'],
        ['one of several', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'boolean' } }, { const: null }] }, 'string | boolean[] | null'],
        ['two at once', { allOf: [ref('schemas/A'), ref('schemas/B')] }, 'components["schemas"]["A"] & components["schemas"]["B"]'],
        ['anything', {}, 'unknown']
    ];
    for (const [what, schema, type] of types) {
        test(`say what ${what} is`, async () => {
            expect(await made({ Thing: { type: 'object', required: ['a-b'], properties: { 'a-b': schema } } })).to.contain(` "a-b": ${type};\n        };`);
        });
    }

    test('say what is required, and what the description says', async () => {
        const text = { type: 'string', format: 'uuid', description: 'The first line, and */.\nThe second.', examples: ['x'] };
        const fields = { type: 'object', required: ['b'], properties: { a: text, b: { type: 'string', enum: ['c'] } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
        expect(await made({ Thing: { ...fields, description: 'A thing.' } })).to.contain([
            '        /** @description A thing. */\n        Thing: {',
            `            /**\n             * Format: uuid\n             * @description The first line, and *\\/.\n             *     The second.\n             * @example x\n             */\n            a?: string;`,
            '            /** @enum {string} */\n            b: "c";\n        };'
        ]);
    });

    test('have the parameters, bodies and responses of operations', async () => {
        const operation = {
            operationId: 'change', summary: 'Change it', parameters: [ref('parameters/path.id'), { name: 'after', in: 'query', schema: { type: 'integer' } }],
            requestBody: { required: true, content: { 'image/png': {} } },
            responses: { 200: { description: 'OK', headers: { ETag: ref('headers/ETag') }, content: { 'application/json': { schema: ref('schemas/A') } } }, 404: ref('responses/E') }
        };
        const text = await made({}, {
            paths: { '/things/{id}': { put: operation } },
            components: { schemas: {}, responses: { E: { description: 'None' } }, parameters: { 'path.id': { name: 'id', in: 'path', required: true, description: 'Its id.', schema: { type: 'string' } } }, headers: {} }
        });
        expect(text).to.contain([
            '    "/things/{id}": {', '        get?: never;\n        /** Change it */\n        put: operations["change"];',
            '        parameters: {\n            query?: {\n                after?: number;\n            };\n            header?: never;\n            path: {\n                /** @description Its id. */\n                id: components["parameters"]["path.id"];\n            };',
            '        requestBody: {\n            content: {\n                "image/png": unknown;', '                headers: {\n                    ETag: components["headers"]["ETag"];\n                    [name: string]: unknown;',
            '                    "application/json": components["schemas"]["A"];', '            404: components["responses"]["E"];', '        E: {\n            headers: {\n                [name: string]: unknown;\n            };\n            content?: never;'
        ]);
    });
});
