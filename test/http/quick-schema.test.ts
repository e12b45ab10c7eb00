import { server as hapiServer } from '@hapi/hapi';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import Joi from 'joi';

import { quick } from '../../src/http/quick-schema';
import { ids, noQuery } from '../../src/http/schema';
import { firstLook } from '../../src/http/validation-errors';

export const lab = Lab.script();
const { describe, it } = lab;

describe('a quick schema', () => {
    it('is what hapi asks, with Joi only for what is not usual', async () => {
        const asked: string[] = [];
        const params = quick(Joi.object({
            id: Joi.string().custom((value: string, helpers) => {
                asked.push(value);
                return value === 'wrong' ? helpers.error('any.invalid') : value.toUpperCase();
            })
        }), ({ id }) => id === 'usual');
        const server = hapiServer();
        server.route({ method: 'GET', path: '/{id}', options: { validate: { params } }, handler: (request) => String(request.params.id) });

        const answers = await Promise.all(['usual', 'other', 'wrong'].map((id) => server.inject(`/${id}`)));
        expect(answers.map(({ statusCode, payload }) => (statusCode === 200 ? payload : statusCode))).to.equal(['usual', 'OTHER', 400]);
        expect(asked).to.equal(['other', 'wrong']);
    });

    it('accepts of paths with ids what Joi accepts, and changes nothing', async () => {
        const schema = ids('user', 'project');
        // A schema that is made of a quick one is not quick.
        const plain = schema.description('The same.');
        const values = ['1', '42', '9223372036854775807', '9223372036854775808', '0', '01', '', 'me', '-1', '1.5', ' 1', '1\n', '１', 'x'.repeat(50), undefined];
        const inputs: object[] = values.flatMap((user) => values.map((project) => ({ ...user !== undefined && { user }, ...project !== undefined && { project } })));
        for (const input of [...inputs, {}, { user: '1', project: '2', page: '3' }, { user: '1', page: '3' }]) {
            const { value, error } = plain.validate(input, firstLook);
            const given = await Promise.resolve(schema.validateAsync(input, firstLook)).catch((refused: unknown) => refused);
            expect(Joi.isError(given), JSON.stringify(input)).to.equal(error !== undefined);
            if (error === undefined) {
                expect(given).to.equal(value);
            }
        }
    });

    it('accepts no query where there is none', async () => {
        expect(await noQuery.validateAsync({}, firstLook)).to.equal({});
        await expect(noQuery.validateAsync({ count: '1' }, firstLook)).to.reject('"count" is not allowed');
    });
});
