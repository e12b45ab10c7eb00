import { JsonText, emptyObject } from '../api/json/json-text';
import type { ElementFields } from '../api/representations/element';
import type { PageFields } from '../api/representations/page';
import type { ProjectFields } from '../api/representations/project';
import { tagsOf } from './tags';

type SqlType = 'integer' | 'json' | 'text' | 'text[]' | 'visibility';

/** The columns of a table that hold what authors write. Single routes, bulk and remix write those that are listed here. */
export interface AuthoredColumns<Row> {
    types: Readonly<Record<keyof Row & string, SqlType>>;
    /** the defaults of a new thing */
    initial: Readonly<Row>;
    /** those that a remix does not copy */
    notRemixed: readonly (keyof Row & string)[];
    /** those that cannot be changed later */
    fixed: readonly (keyof Row & string)[];
    /** those that are not part of the history: restoring and undoing leave them as they are */
    notInHistory: readonly (keyof Row & string)[];
}

export type ProjectRow = Omit<ProjectFields, 'thumbnail'> & {
    tags: string[];
    thumbnail: JsonText;
    /** of a remix: the revision of the source up to which it has the source's changes */
    remixed_revision?: number;
};

export const projectColumns: AuthoredColumns<ProjectRow> = {
    types: { title: 'text', description: 'text', tags: 'text[]', thumbnail: 'json', visibility: 'visibility', remixed_revision: 'integer' },
    initial: { title: '', description: '', tags: [], thumbnail: emptyObject, visibility: 'public' },
    notRemixed: ['description', 'tags', 'remixed_revision'],
    fixed: [],
    notInHistory: ['visibility']
};

export const pageColumns: AuthoredColumns<PageFields> = {
    types: { x: 'integer', y: 'integer', styles: 'json' },
    initial: { x: 0, y: 0, styles: emptyObject },
    notRemixed: [],
    fixed: [],
    notInHistory: []
};

export const elementColumns: AuthoredColumns<ElementFields> = {
    types: { type: 'text', attributes: 'json', styles: 'json' },
    initial: { type: '', attributes: emptyObject, styles: emptyObject },
    notRemixed: [],
    fixed: ['type'],
    notInHistory: []
};

/** The new values of a project's columns, given the fields that an author sends. */
export const projectRow = ({ thumbnail, ...fields }: Partial<ProjectFields>): Partial<ProjectRow> => ({
    ...fields,
    ...fields.description === undefined ? {} : { tags: tagsOf(fields.description) },
    ...thumbnail === undefined ? {} : { thumbnail: new JsonText(JSON.stringify(thumbnail)) }
});

type Name<Row> = keyof Row & string;

const without = <One>(names: readonly One[], left: readonly One[]): One[] => names.filter((name) => !left.includes(name));

export const namesOf = <Row>({ types }: AuthoredColumns<Row>): Name<Row>[] => Object.keys(types).filter((name): name is Name<Row> => name in types);
export const changeableOf = <Row>(columns: AuthoredColumns<Row>): Name<Row>[] => without(namesOf(columns), columns.fixed);
/** Columns whose values are in the history. */
export const recordedOf = <Row>(columns: AuthoredColumns<Row>): Name<Row>[] => without(changeableOf(columns), columns.notInHistory);
export const remixedOf = <Row>(columns: AuthoredColumns<Row>): Name<Row>[] => without(namesOf(columns), columns.notRemixed);

/** SQL for an expression of each column, by its name. */
export const expressions = (names: readonly string[], expression: (name: string, index: number) => string): Record<string, string> => {
    return Object.fromEntries(names.map((name, index) => [name, expression(name, index)]));
};

/** SQL that defines the columns of a record: `title text, …`. */
export const columnDefinitions = <Row>({ types }: AuthoredColumns<Row>): string => Object.entries(types).map(([name, type]) => `${name} ${type}`).join(', ');

/** SQL for parameters, from `$first` on, with an array for each of these columns. */
export const arrays = <Row>({ types }: AuthoredColumns<Row>, names: readonly Name<Row>[], first: number): string => {
    return names.map((name, index) => `$${first + index}::${types[name]}[]`).join(', ');
};

/** SQL for a null of each of these columns, by its name. */
export const nulls = <Row>({ types }: AuthoredColumns<Row>, names: readonly Name<Row>[]): string => names.map((name) => `null::${types[name]} as ${name}`).join(', ');

/** The types of the parameters that `valuesOf` fills. */
export const typesOf = <Row>({ types }: AuthoredColumns<Row>, names: readonly Name<Row>[]): SqlType[] => names.map((name) => types[name]);

/** The types of the parameters of `arrays`. */
export const arrayTypesOf = <Row>(columns: AuthoredColumns<Row>, names: readonly Name<Row>[]): string[] => typesOf(columns, names).map((type) => `${type}[]`);

/** Parameters for the columns with these names; null for those that `row` does not have. */
export const valuesOf = <Row extends object>(names: readonly Name<Row>[], row: Partial<Row>): unknown[] => names.map((name) => {
    const value = row[name];
    return value instanceof JsonText ? value.text : value ?? null;
});
