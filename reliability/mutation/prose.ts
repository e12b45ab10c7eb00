/** What is looked at of a node in Babel's syntax tree. */
interface Syntax {
    type: string;
    name?: string;
    property?: Syntax;
    callee?: Syntax;
    arguments?: Syntax[];
}

/** Methods of Joi's whose arguments are for the API's readers. */
const describing = new Set(['description', 'example', 'messages']);

/** Which argument of a function is a sentence for people, or a word in one; programs go by the code beside it, if by anything. */
const sentences = new Map([['fault', 2], ['forbidden', 0], ['Error', 0], ['notFound', 0], ['settle', 1], ['movedOn', 0], ['present', 1], ['guard', 2]]);

/** Why a place is not mutated: what is there is text for people. Undefined for all other places. */
export function isProse({ node, parent: { callee, arguments: given = [] } }: { node: Syntax; parent: Syntax }): string | undefined {
    const index = given.indexOf(node);
    const described = callee?.property?.name !== undefined && describing.has(callee.property.name);
    const told = callee?.name !== undefined && sentences.get(callee.name) === index;
    return index >= 0 && (described || told) ? 'Text for people' : undefined;
}
