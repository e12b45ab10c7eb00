/** Writes src/schema.ts: the types of what the service takes and answers, out of its description. */
import { readFileSync, writeFileSync } from 'node:fs';

import openapiTS, { astToString } from 'openapi-typescript';

/** "At least one of these fields" says nothing of types, and would be generated as `unknown`. */
const onlyRequires = (schemas) => schemas.every((schema) => Object.keys(schema).join() === 'required');

const description = JSON.parse(
    readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
    (key, value) => (key === 'anyOf' && Array.isArray(value) && onlyRequires(value) ? undefined : value)
);

writeFileSync(new URL('src/schema.ts', import.meta.url), `// Generated out of openapi.json.\n${astToString(await openapiTS(description))}`);
