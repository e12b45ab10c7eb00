import type { Database } from '../db/connection';
import { run } from '../db/statement';
import { fault } from '../errors/errors';
import { PIECE, groupsOf } from '../pages/pieces';
import { contentsOf } from './changed';
import type { Changed, ChangedElement, ChangedPage, Content } from './changed';

/** Maximum number of bytes that are compared, in all three states together. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The JSON columns of a thing that were read, by their names. */
export type Contents = ReadonlyMap<string, Content>;

/** Columns that the source changed. */
export const namesOf = ({ was, theirs, ours }: Changed): string[] => (was ? theirs : ours);

const weigh = ({ bytes }: Changed, names: readonly string[]): number => names.reduce((sum, name) => sum + Number(bytes[name]), 0);

type Things = readonly (ChangedPage | ChangedElement)[];

/**
 * Reads the columns of JSON that both sides changed, by the ids of things in the source.
 * @param place values of the parameters $1 to $4 of changed.ts
 * @param copies of pages, as JSON
 * @param all also reads those that only the source changed, if they are not too large
 * @throws 409 if both sides changed more than 32 MiB
 */
export async function readContents(db: Database, place: readonly unknown[], copies: string, things: Readonly<Record<'page' | 'element', Things>>, all: boolean): Promise<Record<'page' | 'element', Map<string, Contents>>> {
    const wanted = Object.values(things).flat().filter(({ is, was, here, id }) => is && (id === null ? was && all : was || here)).map((thing) => {
        const names = namesOf(thing).filter((name) => name in thing.bytes);
        const needed = names.filter((name) => thing.ours.includes(name));
        return { thing, needed, more: all ? names.filter((name) => !needed.includes(name)) : [] };
    });
    let left = MOST_BYTES - wanted.reduce((sum, { thing, needed }) => sum + weigh(thing, needed), 0);
    if (left < 0) {
        throw fault('upstream_too_large');
    }

    const picked = wanted.map(({ thing, needed, more }) => {
        const names = weigh(thing, more) <= left ? [...needed, ...more] : needed;
        left -= weigh(thing, names) - weigh(thing, needed);
        return { thing, id: thing.source_id, names, weight: weigh(thing, names) };
    }).filter(({ names }) => names.length > 0);
    const found = { page: new Map<string, Map<string, Content>>(), element: new Map<string, Map<string, Content>>() };
    for (const type of ['page', 'element'] as const) {
        const pageOf = (thing: ChangedPage | ChangedElement): string => ('source_page' in thing ? thing.source_page : thing.source_id);
        for (const group of groupsOf(picked.filter(({ thing }) => ('source_page' in thing) === (type === 'element')), PIECE)) {
            const records = group.map(({ id, names }) => ({ source_id: id, names }));
            for (const content of await run(db, contentsOf[type], [...place, group.map(({ thing }) => pageOf(thing)), ...type === 'element' ? [copies] : [], JSON.stringify(records)])) {
                found[type].set(content.source_id, (found[type].get(content.source_id) ?? new Map<string, Content>()).set(content.name, content));
            }
        }
    }

    return found;
}
