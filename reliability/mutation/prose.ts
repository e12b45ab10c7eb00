/** The parts of a node in Babel's syntax tree that are used here. */
interface Syntax {
    type: string;
    name?: string;
    property?: Syntax;
    callee?: Syntax;
    arguments?: Syntax[];
}

/** Joi methods whose arguments are texts of the API description. */
const describing = new Set(['description', 'example', 'messages']);

/** Which argument of a function is text for people; programs use the error code instead. */
const sentences = new Map([['fault', 2], ['forbidden', 0], ['Error', 0], ['notFound', 0], ['resultOrError', 1], ['revisionConflict', 0], ['present', 1], ['guard', 2]]);

/** The reason not to mutate a node, if it is text for people; undefined for all others. */
export function isProse({ node, parent: { callee, arguments: given = [] } }: { node: Syntax; parent: Syntax }): string | undefined {
    const index = given.indexOf(node);
    const described = callee?.property?.name !== undefined && describing.has(callee.property.name);
    const told = callee?.name !== undefined && sentences.get(callee.name) === index;
    return index >= 0 && (described || told) ? 'Text for people' : undefined;
}
