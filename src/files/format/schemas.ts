import type Joi from 'joi';

import { jsonSchemaOf } from '../../api/description/schemas';
import type { Components, JsonSchema } from '../../api/description/schemas';
import { elementLooks } from './elements';
import { historyFile, projectFile } from './schema';

/** The JSON Schema of a file. */
function schemaOf(name: string, joi: Joi.Schema): JsonSchema {
    const components: Components = {};
    const schema = jsonSchemaOf(joi, components);
    const text = JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: `/schemas/${name}`, ...schema, $defs: components });
    return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
}

/** The schemas that are published, by the names of their files. */
export const publishedSchemas: Readonly<Record<string, JsonSchema>> = {
    'project.json': schemaOf('project.json', projectFile), 'history.json': schemaOf('history.json', historyFile), 'elements.json': elementLooks
};
