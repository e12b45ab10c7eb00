/**
 * The types of an API description (OpenAPI 3.1): of what ours has in it, and named as `openapi-typescript` names them, so that programs
 * which know its types know these.
 */

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const indented = (text) => text.replace(/^/gm, '    ');

const block = (members) => (members.length === 0 ? '{}' : `{\n${indented(members.join('\n'))}\n}`);

/** A text in a comment. Its further lines are indented. */
const commented = (text) => String(text).trim().replaceAll('*/', '*\\/').split(/\r?\n/).map((line, n) => (n === 0 ? line : `    ${line}`.trimEnd())).join('\n');

/** What stands above a field: what it is, examples, and what a type does not say. */
const comment = (of) => {

    const text = (value) => commented(typeof value === 'object' ? JSON.stringify(value, null, 2) : value);
    const parts = [
        ...of.summary ? [commented(of.summary)] : [],
        ...of.format ? [`Format: ${of.format}`] : [],
        ...of.deprecated ? ['@deprecated'] : [],
        ...of.description ? [`@description ${text(of.description)}`] : [],
        ...of.default === undefined ? [] : [`@default ${text(of.default)}`],
        // Those of bodies, which are one `example` each, would be two thirds of the file.
        ...(Array.isArray(of.examples) ? of.examples : []).map((example) => `@example ${text(example)}`),
        ...'const' in of ? ['@constant'] : [],
        ...of.enum ? [`@enum {${[of.type ?? 'unknown'].flat().join('|')}}`] : []
    ];
    if (parts.length === 0) {
        return '';
    }

    const lines = parts.join('\n').split('\n');
    return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
};

const keyOf = (name) => (/^(?:[A-Za-z_$][\w$]*|\d+)$/.test(name) ? name : JSON.stringify(name));

/** A field of an interface. @param of what the description says of it */
const field = (name, type, { of = {}, optional = false } = {}) => `${comment(of)}${keyOf(name)}${optional ? '?' : ''}: ${type};`;

const pointerOf = (ref) => ref.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const refType = (ref) => pointerOf(ref).map((part, n) => (n === 0 ? part : `[${JSON.stringify(part)}]`)).join('');

const union = (types) => [...new Set(types)].join(' | ');

/** A type, or several of which values have one: in brackets. */
const single = (types) => (types.length === 1 ? types[0] : `(${union(types)})`);

/** "At least one of these fields" is not. */
const isAboutTypes = (schema) => Object.keys(schema).join() !== 'required';

/** The types of which values of a schema have one. */
const typesOf = (schema) => {

    if (schema.$ref !== undefined) {
        return [refType(schema.$ref)];
    }

    if (schema.const !== undefined) {
        return [JSON.stringify(schema.const)];
    }

    if (schema.enum !== undefined) {
        return [...schema.enum.map((value) => JSON.stringify(value)), ...[schema.type].flat().includes('null') ? ['null'] : []];
    }

    if (Array.isArray(schema.type)) {
        return schema.type.flatMap((type) => typesOf({ ...schema, type }));
    }

    switch (schema.type) {
        case 'null': case 'string': case 'boolean':
            return [schema.type];
        case 'integer': case 'number':
            return ['number'];
        case 'array':
            return [`${single(typesOf(schema.items))}[]`];
        default:
            return composedTypes(schema);
    }
};

const composedTypes = (schema) => {

    const all = [...objectType(schema), ...(schema.allOf ?? []).map((part) => single(typesOf(part)))];
    const types = [...all.length > 0 ? [all.join(' & ')] : [], ...[...schema.anyOf ?? [], ...schema.oneOf ?? []].filter(isAboutTypes).flatMap(typesOf)];
    return types.length > 0 ? types : [schema.type === 'object' ? 'Record<string, never>' : 'unknown'];
};

/** The fields of an object, and those that have no names yet. */
const objectType = ({ properties = {}, required = [], additionalProperties, patternProperties = {} }) => {

    const members = Object.entries(properties).map(([name, of]) => field(name, typeOf(of), { of, optional: !required.includes(name) }));
    const others = [
        ...additionalProperties ? [additionalProperties === true ? 'unknown' : typeOf(additionalProperties)] : [],
        ...Object.values(patternProperties).map(typeOf)
    ];
    return [...members.length > 0 ? [block(members)] : [], ...others.length > 0 ? [block([`[key: string]: ${union(others)};`])] : []];
};

const typeOf = (schema) => union(typesOf(schema));

const contentType = (content) => block(Object.entries(content).map(([type, of]) => field(type, of.schema === undefined ? 'unknown' : typeOf(of.schema), { of })));

const responseType = ({ headers = {}, content }) => {

    return block([
        field('headers', block([
            ...Object.entries(headers).map(([name, of]) => field(name, of.$ref === undefined ? typeOf(of.schema) : refType(of.$ref), { of, optional: of.$ref === undefined && of.required !== true })),
            '[name: string]: unknown;'
        ])),
        content === undefined ? field('content', 'never', { optional: true }) : field('content', contentType(content))
    ]);
};

/** The text of a module with the types of a description. */
export const typesOfDescription = ({ paths, webhooks, components }) => {

    const resolved = (parameter) => (parameter.$ref === undefined ? parameter : components[pointerOf(parameter.$ref)[1]][pointerOf(parameter.$ref)[2]]);

    const parametersIn = (parameters, place) => {

        const here = parameters.map((parameter) => [parameter, resolved(parameter)]).filter(([, of]) => of.in === place);
        const optional = here.every(([, of]) => of.required !== true);
        return field(place, here.length === 0 ? 'never' : block(here.map(([{ $ref }, of]) => field(of.name, $ref === undefined ? typeOf(of.schema) : refType($ref), { of, optional: of.required !== true }))), { optional });
    };

    const parametersField = (parameters) => field('parameters', block(['query', 'header', 'path', 'cookie'].map((place) => parametersIn(parameters, place))));

    const operationType = ({ parameters = [], requestBody, responses }) => {

        return block([
            parametersField(parameters),
            requestBody === undefined ? field('requestBody', 'never', { optional: true }) : field('requestBody', block([field('content', contentType(requestBody.content))]), { of: requestBody, optional: requestBody.required !== true }),
            field('responses', block(Object.entries(responses).map(([status, of]) => field(status, of.$ref === undefined ? responseType(of) : refType(of.$ref), { of }))))
        ]);
    };

    const pathType = (path) => {

        return block([
            parametersField([]),
            ...methods.map((method) => (path[method] === undefined ? field(method, 'never', { optional: true }) : field(method, `operations[${JSON.stringify(path[method].operationId)}]`, { of: path[method] })))
        ]);
    };

    const fieldsOf = (things, of) => Object.entries(things).map(([name, thing]) => field(name, of(thing), { of: of === pathType ? {} : thing }));
    const kinds = { schemas: typeOf, responses: responseType, parameters: ({ schema }) => typeOf(schema), requestBodies: undefined, headers: ({ schema }) => typeOf(schema), pathItems: undefined };
    const operations = [paths, webhooks].flatMap(Object.values).flatMap((path) => methods.flatMap((method) => path[method] ?? []));
    const interfaces = {
        paths: fieldsOf(paths, pathType),
        webhooks: fieldsOf(webhooks, pathType),
        components: Object.entries(kinds).map(([kind, of]) => field(kind, of === undefined ? 'never' : block(fieldsOf(components[kind], of)))),
        operations: operations.map((operation) => field(operation.operationId, operationType(operation)))
    };
    return Object.entries(interfaces).map(([name, members]) => `export interface ${name} ${block(members)}\n`).join('');
};
