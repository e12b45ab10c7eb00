import type { Database } from '../../database/statements/connection';
import { pauses } from '../../api/concurrency/yielding';
import { defined } from '../../api/errors/defined';
import { run } from '../../database/statements/statement';
import { fault } from '../../api/errors/errors';
import { MAX_COMPARED_BYTES } from '../../limits';
import { PIECE, groupsOf } from '../pages/pieces';
import { contentsOf } from './changed';
import type { Changed, ChangedElement, ChangedPage, Content } from './changed';

/** The bytes that each thing counts when some are read together, besides its contents, so that they are not too many. */
const FOR_ROW = 512;

/** The JSON columns of a thing that were read, by their names. */
export type ComparedContents = ReadonlyMap<string, Content>;

/** Columns that the source changed. */
export const namesOf = ({ was, theirs, ours }: Changed): string[] => (was ? theirs : ours);

const weigh = ({ bytes }: Changed, names: readonly string[]): number => names.reduce((sum, name) => sum + defined(bytes[name]), 0);

type Thing = ChangedPage | ChangedElement;

/**
 * Reads the columns of JSON that both sides changed, by the ids of things in the source.
 * @param place values of the parameters $1 to $4 of changed.ts
 * @param copies of pages, as JSON
 * @param all also reads those that only the source changed, if they are not too large
 * @throws 409 if both sides changed more than 32 MiB
 */
export async function readContents(db: Database, place: readonly unknown[], copies: string, things: Readonly<Record<'page' | 'element', readonly Thing[]>>, all: boolean): Promise<Record<'page' | 'element', Map<string, ComparedContents>>> {
    const pause = pauses();
    const wanted: { thing: Thing; needed: string[]; more: string[] }[] = [];
    let left = MAX_COMPARED_BYTES;
    for (const thing of Object.values(things).flat()) {
        const { is, was, here, id, ours, bytes } = thing;
        if (is && (id === null ? was && all : was || here)) {
            const names = namesOf(thing).filter((name) => name in bytes);
            const needed = names.filter((name) => ours.includes(name));
            wanted.push({ thing, needed, more: all ? names.filter((name) => !needed.includes(name)) : [] });
            left -= weigh(thing, needed);
        }

        await pause();
    }

    if (left < 0) {
        throw fault('upstream_too_large');
    }

    const picked: { thing: Thing; id: string; names: string[]; weight: number }[] = [];
    for (const { thing, needed, more } of wanted) {
        const weight = weigh(thing, more);
        const names = weight <= left ? [...needed, ...more] : needed;
        left -= names === needed ? 0 : weight;
        if (names.length > 0) {
            picked.push({ thing, id: thing.source_id, names, weight: FOR_ROW + weigh(thing, names) });
        }

        await pause();
    }

    const found = { page: new Map<string, Map<string, Content>>(), element: new Map<string, Map<string, Content>>() };
    for (const type of ['page', 'element'] as const) {
        const pageOf = (thing: Thing): string => ('source_page' in thing ? thing.source_page : thing.source_id);
        for (const group of groupsOf(picked.filter(({ thing }) => ('source_page' in thing) === (type === 'element')), PIECE)) {
            const records = group.map(({ id, names }) => ({ source_id: id, names }));
            for (const content of await run(db, contentsOf[type], [...place, [...new Set(group.map(({ thing }) => pageOf(thing)))], ...type === 'element' ? [copies] : [], JSON.stringify(records)])) {
                found[type].set(content.source_id, (found[type].get(content.source_id) ?? new Map<string, Content>()).set(content.name, content));
            }
        }
    }

    return found;
}
