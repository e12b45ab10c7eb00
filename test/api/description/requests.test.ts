import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import Joi from 'joi';

import { schemas } from '../../../src/projects/bulk/schema';
import { exampleOf, jsonSchemaOf } from '../../../src/api/description/schemas';
import type { Components, JsonSchema } from '../../../src/api/description/schemas';
import { validationOptions } from '../../../src/api/request/validation-errors';
import { nested } from '../../support/authoring';
import { newAjv } from '../../support/described';
import { startTestServer } from '../../support/server';

export const lab = script();

/** Values that are tried at each place of a body. */
const values: readonly unknown[] = [
    null, true, false, 0, 1, -1, 3, 1.5, 1e21, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, 2 ** 53, 31_536_000, 31_536_001,
    '', ' ', 'a', 'A-b_9', 'two words', 'ф', 'null', '1', '0', '-1', '01', '1.5', '+1', '9223372036854775807', '9223372036854775808', '10000000000000000000', '9223372036854775799',
    '$0.id', '$0', '$999.a.b', '$1000.id', '$00.id', '$0..id', '$0.id ', 'en', 'pt-BR', 'pt_BR', 'zh-Hans', 'sr@latin', 'ca.valencia', 'mw1', '1mw', 'e', '-en', 'en-', 'en--GB', 'abcdefghi', 'en-abcdefghijklmnop',
    'http://a', 'HTTPS://a.example/b?c#d', 'http://', 'http://a b', 'ftp://a', 'javascript:alert(1)', 'a\nb', 'a\u0000b', '\ud800', 'MC4xNzY3MjYxNjAwMDAwLjQy',
    ...[7, 8, 20, 21, 64, 65, 100, 101, 256, 257, 1000, 1001, 2041, 2042].flatMap((length) => ['x'.repeat(length), '💻'.repeat(length), `http://${'x'.repeat(length)}`]),
    [], [1], ['user'], ['projects', 'user'], ['user', 'user'], ['user', 'projects', 'user'], ['admin'], [['user']], [{}],
    {}, { a: 1 }, { 320: 'http://a' }, { 0: 'http://a' }, { '01': 'http://a' }, { 4096: 'http://a' }, { 4097: 'http://a' }, { 320: 'a' }, { 320: 1 }, { 320: `http://${'x'.repeat(2042)}` },
    nested(32), nested(33)
];

/** Rules that JSON Schema cannot express, but the text of the description does. */
const inProse = new Set(['string.unkept', 'json.depth', 'cursor', 'username.characters', 'username.scripts', 'app.name', 'string.unseen', 'sign-in.ways', 'uri.redirect', 'showing.reason']);

interface Schema {
    name: string;
    joi: Joi.Schema;
    json: JsonSchema;
}

/** An object with each of its fields left out, and replaced by each of the values. */
function variants(value: object): object[] {
    return Object.keys(value).flatMap((key) => [
        Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)),
        ...values.map((other) => ({ ...value, [key]: other }))
    ]).concat({ ...value, more: 1 }, {});
}

lab.experiment('What a schema allows and what its description does', () => {

    const components: Components = {};
    const bodies: Schema[] = [];
    const parameters = new Map<string, Schema>();
    const ajv = newAjv();

    lab.before(async () => {
        const { server, stop } = await startTestServer();
        const schemaOf = (name: string, joi: Joi.Schema): Schema => ({ name, joi, json: { ...jsonSchemaOf(joi, components), components: { schemas: components } } });
        for (const { settings } of server.table()) {
            const { operationId, body = settings.validate?.payload } = settings.plugins?.description?.() ?? {};
            if (Joi.isSchema(body)) {
                bodies.push(schemaOf(String(operationId), body));
            }

            for (const place of ['params', 'query'] as const) {
                const schema = settings.validate?.[place];
                if (Joi.isSchema(schema)) {
                    for (const [name, json] of Object.entries({ ...jsonSchemaOf(schema, components).properties })) {
                        parameters.set(`${place} ${name}`, { name, joi: schema.extract(name), json });
                    }
                }
            }
        }

        for (const [kind, methods] of Object.entries(schemas)) {
            bodies.push(...Object.entries(methods).map(([method, schema]) => schemaOf(`${kind} ${method}`, schema)));
        }

        await stop();
    });

    /** Whether both agree on a value. */
    const agree = ({ name, joi, json }: Schema, value: unknown, described = value): void => {
        const codes = joi.validate(value, validationOptions).error?.details.map(({ type }) => type) ?? [];
        const told = codes.filter((code) => !inProse.has(code));
        const said = `${name}: ${JSON.stringify(value).slice(0, 300)} ${codes}`;
        if (codes.length === told.length) {
            expect(ajv.validate(json, described), said).to.equal(codes.length === 0);
        }
    };

    lab.test('are the same of bodies', () => {
        expect(bodies.length).to.be.above(15);
        for (const body of bodies) {
            const example = Object(exampleOf(body.json, components));
            for (const value of [example, ...variants(example), null, [], 'text']) {
                agree(body, value);
            }
        }
    });

    lab.test('are the same of parameters', () => {
        expect([...parameters.keys()].sort()).to.equal(['params announcement', 'params app', 'params assignment', 'params class_id', 'params collection', 'params comment', 'params delivery', 'params device', 'params element', 'params entry', 'params identity', 'params invitation', 'params language', 'params page', 'params passkey', 'params permission', 'params project', 'params pupil', 'params revision', 'params sha256', 'params sign_up_code', 'params statement', 'params tag', 'params token', 'params user', 'params username', 'params webhook', 'params work', 'query account', 'query accounts', 'query after', 'query as', 'query author', 'query code', 'query count', 'query element', 'query error', 'query error_description', 'query height', 'query history', 'query idempotency_key', 'query iss', 'query key', 'query kind', 'query language', 'query page', 'query permission', 'query point', 'query prefix', 'query pupil', 'query q', 'query since', 'query state', 'query tag', 'query thread', 'query visibility', 'query width']);
        for (const parameter of parameters.values()) {
            for (const value of [...values.filter((one) => typeof one === 'string'), '10', '50', '51', '99', '100', '101', '320', '321']) {
                const isNumber = ['integer', 'number'].includes(String(parameter.json.type));
                // A number must be in its canonical form.
                if (!isNumber || String(Number(value)) === value) {
                    agree(parameter, value, isNumber ? Number(value) : value);
                }
            }
        }
    });
});
