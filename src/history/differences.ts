import { elementWeight } from '../authoring/sizes';
import { joinElements, joinPages, projectChain } from '../authoring/chain';
import type { Database } from '../db/connection';
import { gone, live } from '../db/deletion';
import type { Read } from '../db/snapshot';
import { runOne, statement } from '../db/statement';
import { LARGE } from '../limits';
import { forReaders, isOpen } from '../authoring/visibility';
import type { Readable, Reader } from '../authoring/visibility';
import { groupsOf, joined, PIECE } from '../pages/pieces';
import type { Sized } from '../pages/pieces';
import { elementJson } from '../representations/element';
import { pageAloneJson } from '../representations/page';
import { projectJson } from '../representations/project';

/** What has changed in a project since a revision. */
export interface Differences extends Readable {
    revision: number;
    /** the oldest revision since which it can be said */
    known_since: number;
    /** JSON text of the project; null if nothing has changed */
    project: string | null;
    weight: number;
    /** JSON texts of pages without their elements, with commas between them */
    pages: string;
    /** the same of elements; null if they are too large for one text */
    elements: string | null;
    /** of the elements; empty if there is a text */
    sizes: Sized[];
    /** JSON text */
    removed: string;
}

const since = '$3::bigint';

/** SQL for whether a row was changed since then. Old rows do not say when they were changed; they are included if all changes from the beginning are requested. */
const moved = (row: string): string => `coalesce(${row}.project_revision, 1) > ${since}`;

/** SQL for the ids of rows, as JSON text. */
const idList = (rows: string): string => `coalesce((select json_agg(id::text order by id)::text from (${rows}) rows), '[]')`;

const changedElements = `from p ${joinPages} and ${moved('g')} ${joinElements} and ${moved('e')}`;

const find = forReaders<Differences>(3, (reader) => `
    with p as materialized (select p.*, u.username ${projectChain(reader)}),
    weights as materialized (select e.id, ${elementWeight} as weight ${changedElements}), total as (select coalesce(sum(weight), 0)::float8 as weight from weights)
    select ${isOpen('p')} as open, p.revision, case when p.change_revision is null then p.revision else p.known_since end as known_since, weight,
        (select ${projectJson} from users u where u.id = p.user_id and p.revision > ${since}) as project,
        coalesce((select string_agg(${pageAloneJson('p.user_id')}, ',' order by g.id) from pages g where g.project_id = p.id and ${live('g')} and ${moved('g')}), '') as pages,
        case when weight <= ${LARGE} then coalesce((select string_agg(${elementJson('p.user_id')}, ',' order by e.id) ${changedElements}), '') end as elements,
        case when weight <= ${LARGE} then '[]' else (select json_agg(json_build_object('id', id::text, 'weight', weight) order by id) from weights) end as sizes,
        case when ${since} = 0 then '{"pages":[],"elements":[]}' else '{"pages":' || ${idList(`select g.id from pages g where g.project_id = p.id and ${gone('g')} and g.project_revision > ${since}`)}
            || ',"elements":' || ${idList(`
                select e.id from pages g join elements e on e.page_id = g.id where g.project_id = p.id and g.project_revision > ${since}
                    and ((${gone('e')} and e.project_revision > ${since}) or (${gone('g')} and (${live('e')} or e.project_revision > ${since})))`)} || '}' end as removed
    from p, total`);

export const findDifferences = (db: Database, chain: readonly string[], revision: string, reader: Reader): Promise<Differences | undefined> => {
    return runOne(db, ...find(reader, [...chain, revision]));
};

const some = forReaders(4, (reader) => `
    select ${elementJson('p.user_id')} as json ${projectChain(reader, `${joinPages} ${joinElements}`)} and p.revision = $3 and e.id = any($4::bigint[]) order by e.id`, (text) => statement<{ json: string }>(text));

/** The elements that have changed, with commas between them. @throws ChangedWhileSent */
export async function* changedElementsOf(read: Read, chain: readonly string[], { revision, sizes }: Differences, reader: Reader): AsyncGenerator<string> {
    for (const [index, group] of groupsOf(sizes, PIECE).entries()) {
        yield (index === 0 ? '' : ',') + joined(await read(...some(reader, [...chain, revision, group.map(({ id }) => id)])), group.length);
    }
}
