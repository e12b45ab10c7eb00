import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import Joi from 'joi';

import { exampleOf, jsonSchemaOf } from '../../../src/api/description/schemas';

export const lab = script();

lab.experiment('Schemas', () => {

    lab.test('of listed values have the types of these values, and no others', () => {
        const listed = Joi.object({ one: Joi.any().valid('top', 'left'), several: Joi.any().valid('top', 1, null) });
        const { one, several } = jsonSchemaOf(listed, {}).properties ?? {};
        expect([one?.type, one?.enum]).to.equal(['string', ['top', 'left']]);
        expect([several?.type].flat().sort()).to.equal(['null', 'number', 'string']);
    });
});

lab.experiment('Examples', () => {

    lab.test('are built from the examples of their parts', () => {
        const part = Joi.object({ name: Joi.string().example('ada') }).id('Part');
        const whole = Joi.object({ kind: Joi.string().valid('whole'), parts: Joi.array().items(part), either: Joi.alternatives(part, Joi.number()) });
        const components = {};
        expect(exampleOf(jsonSchemaOf(whole, components), components)).to.equal({ kind: 'whole', parts: [{ name: 'ada' }], either: { name: 'ada' } });
    });

    lab.test('must not be missing', () => {
        const schema = jsonSchemaOf(Joi.object({ name: Joi.string() }), {});
        expect(() => exampleOf(schema, {})).to.throw('A schema has no example: {"type":"string"}');
    });
});
