import { server as hapiServer } from '@hapi/hapi';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Joi from 'joi';

import { quick } from '../../../src/api/request/quick-schema';
import { ids, noQuery } from '../../../src/api/request/schema';
import { firstLook } from '../../../src/api/request/validation-errors';

export const lab = Lab.script();
const { describe, it } = lab;

/** Compares what it makes of inputs with what Joi alone does. A schema that is made of a quick one is not quick. */
async function compare(schema: Joi.ObjectSchema, inputs: readonly object[]): Promise<void> {
    const plain = schema.description('The same.');
    for (const input of inputs) {
        const { value, error } = plain.validate(input, firstLook);
        const given: unknown = await Promise.resolve(schema.validateAsync(input, firstLook)).catch((refused: unknown) => refused);
        expect(Joi.isError(given), JSON.stringify(input)).to.equal(error !== undefined);
        if (error === undefined) {
            expect(given).to.equal(value);
        }
    }
}

describe('a quick schema', () => {
    it('is what hapi asks, with Joi only for what is not usual', async () => {
        const asked: string[] = [];
        const params = quick(Joi.object({
            id: Joi.string().custom((value: string, helpers) => {
                asked.push(value);
                return value === 'wrong' ? helpers.error('any.invalid') : value.toUpperCase();
            })
        }), (input) => input.id === 'usual');
        const server = hapiServer();
        server.route({ method: 'GET', path: '/{id}', options: { validate: { params } }, handler: (request) => String(request.params.id) });

        const answers = await Promise.all(['usual', 'other', 'wrong'].map((id) => server.inject(`/${id}`)));
        expect(answers.map(({ statusCode, payload }) => (statusCode === 200 ? payload : statusCode))).to.equal(['usual', 'OTHER', 400]);
        expect(asked).to.equal(['other', 'wrong']);
    });

    it('accepts of paths with ids what Joi accepts, and changes nothing', async () => {
        const values = ['1', '42', '9223372036854775807', '9223372036854775808', '0', '01', '', 'me', '-1', '1.5', ' 1', '1\n', '１', 'x'.repeat(50), undefined];
        const inputs: object[] = values.flatMap((user) => values.map((project) => ({ ...user !== undefined && { user }, ...project !== undefined && { project } })));
        await compare(ids('user', 'project'), [...inputs, {}, { user: '1', project: '2', page: '3' }, { user: '1', page: '3' }]);
    });

    it('accepts no query where there is none', async () => {
        expect(await noQuery.validateAsync({}, firstLook)).to.equal({});
        await expect(noQuery.validateAsync({ count: '1' }, firstLook)).to.reject('"count" is not allowed');
    });
});
