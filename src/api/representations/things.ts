/** The types of things in a project, itself included. The type `thing` of the database has the same. */
export const thingTypes = ['project', 'page', 'element'] as const;

export type ThingType = typeof thingTypes[number];

/** The methods of a change of one thing, in bulks and in what a source changed. */
export const methods = ['create', 'update', 'remove'] as const;

export type Method = typeof methods[number];
