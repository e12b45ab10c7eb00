import { mergeFields } from '../../rules/merge';
import { JsonText, storable } from '../../api/json/json-text';
import type { Changed, ChangedPage } from './changed';
import { namesOf } from './contents';
import type { ComparedContents } from './contents';

/** Which side's value stays if both changed a field. */
export type Take = 'ours' | 'theirs';

/** A page has places. */
type Mergeable = Changed & Partial<Pick<ChangedPage, 'base' | 'place' | 'own'>>;

export interface MergedThing {
    /** JSON Pointers of what the source changed; none if it did not have the thing before */
    changed: string[];
    /** JSON Pointers of what both sides changed to different values */
    conflicts: string[];
    /** columns that get the value of the source */
    theirs: string[];
    /** other columns that are written */
    columns: Record<string, unknown>;
}

const isPlace = (name: string): boolean => name === 'x' || name === 'y';

/**
 * Merges what the source changed in a thing with what the remix did to its copy, by the fields of a merge (rules/merge.ts).
 * @param contents the JSON columns that are merged field by field; the others were changed by the source only
 */
export async function mergeThing(thing: Mergeable, contents: ComparedContents, take: Take = 'theirs'): Promise<MergedThing> {
    const names = namesOf(thing);
    const read = names.filter((name) => contents.has(name));
    const side = (pick: 'base' | 'theirs' | 'ours', place: object | null | undefined): Record<string, unknown> => ({
        ...names.some(isPlace) && place, ...Object.fromEntries(read.map((name) => [name, new JsonText(contents.get(name)?.[pick] ?? '{}')]))
    });
    const base = thing.was ? side('base', thing.base) : null;
    const [theirs, ours] = [side('theirs', thing.place), side('ours', thing.own)];
    const [mine, current] = take === 'theirs' ? [theirs, ours] : [ours, theirs];
    const { fields: columns, conflicts } = await mergeFields(base, mine, current);
    for (const [name, value] of Object.entries(columns)) {
        if (value instanceof JsonText && !(storable(value.text) instanceof JsonText)) {
            // Both sides together are too large, so only one of them can stay.
            columns[name] = mine[name];
            conflicts.push(`/${name}`);
        }

        if (JSON.stringify(textOf(columns[name])) === JSON.stringify(textOf(ours[name]))) {
            delete columns[name];
        }
    }

    const whole = names.filter((name) => !read.includes(name) && !isPlace(name));
    const changed = base === null ? [] : [...(await mergeFields(null, theirs, base)).conflicts, ...whole.map((name) => `/${name}`)];
    return { changed, conflicts, theirs: whole, columns };
}

const textOf = (value: unknown): unknown => (value instanceof JsonText ? value.text : value);
