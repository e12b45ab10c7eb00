import { joinUser } from '../../accounts/users/fragments';
import { defined } from '../../api/errors/defined';
import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { elementsThen, pagesThen, projectThen } from '../../rules/point';
import { estimated, FRAME } from '../../rules/sizes';
import type { Read } from '../../database/statements/snapshot';
import { statement } from '../../database/statements/statement';
import { LARGE } from '../../limits';
import { groupsOf, joined, PIECE, sizedColumns } from '../pages/pieces';
import type { Sized } from '../pages/pieces';
import type { Tagged } from '../../rules/read';
import { elementJson } from '../../api/representations/element';
import { pageJson } from '../../api/representations/page';
import { authoredProjectJson } from '../../api/representations/project';
import type { Point } from './queries';

// A project as it was at a point. That never changes, so the pieces of a large one need not be read from one snapshot of the database.

/** SQL for common table expressions: the project $1 in p, and its rows as they were at the revision $2. */
const then = (pages = '', elements = ''): string => `
    p as materialized (select * from projects where id = $1),
    g as materialized (${pagesThen('$2::int', pages)}),
    e as materialized (${elementsThen('$2::int', elements)})`;

// The groups by page are materialized. Otherwise PostgreSQL, which expects few pages here, would group all elements again for each page.
const pageWeights = `
    sums as materialized (select e.page_id, sum(${FRAME} + ${estimated('e.attributes')} + ${estimated('e.styles')}) as weight
        from e group by e.page_id),
    weights as materialized (
        select g.id, (${FRAME} + ${estimated('g.styles')} + coalesce(s.weight, 0))::float8 as weight
            from g left join sums s on s.page_id = g.id
    )`;

const wholeColumns = {
    project: 'text',
    weight: 'double precision',
    /** JSON texts of the pages, with commas between them; null if they are too large for one text */
    json: 'text?',
    /** empty if there is a text */
    pages: known<Sized[]>('json', [{ id: '1', weight: 1 }])
} as const;
type Whole = RowOf<typeof wholeColumns>;

const elementSizes = statement({ parameters: ['bigint', 'integer', 'bigint'], row: sizedColumns, place: inProject(1) }, `
    with ${then('and g.id = $3')} select e.id, (${FRAME} + ${estimated('e.attributes')} + ${estimated('e.styles')})::float8 as weight
        from e order by e.id`);

/** The content of a snapshot. */
interface Texts {
    /** SQL for the text about the project, in the row `p`, and its author in `u` */
    project: string;
    /** SQL for the JSON text of the page in the row `g` of the project in `p`, given that of its elements, which come last in it */
    page(elements: string): string;
    /** SQL for the JSON text of the element in the row `e` */
    element: string;
}

/** Reads projects as they were, as these texts. */
export function snapshotsOf({ project: projectText, page, element }: Texts) {
    const texts = `texts as materialized (select e.page_id, string_agg(${element}, ',' order by e.id) as json
        from p, e group by e.page_id)`;
    const pageText = page(`coalesce(t.json, '')`);

    const whole = statement({ parameters: ['bigint', 'integer', 'timestamp with time zone'], row: wholeColumns, place: inProject(1) }, `
        with ${then()}, ${pageWeights}, ${texts}, total as (select coalesce(sum(weight), 0)::float8 as weight from weights)
        select (select ${projectText} from (${projectThen('$2::int', '$3::timestamptz')}) p ${joinUser('p.user_id')}) as project, weight,
            case when weight <= ${LARGE} then coalesce((select string_agg(${pageText}, ',' order by g.id) from p, g left join texts t on t.page_id = g.id), '') end as json,
            case when weight <= ${LARGE} then '[]' else (select json_agg(json_build_object('id', id::text, 'weight', weight) order by id) from weights) end as pages
        from total`);

    const somePages = statement({ parameters: ['bigint', 'integer', 'bigint[]'], row: { json: 'text' }, place: inProject(1) }, `
        with ${then('and g.id = any($3::bigint[])')}, ${texts}
        select ${pageText} as json from p, g left join texts t on t.page_id = g.id order by g.id`);

    const pageHead = statement({ parameters: ['bigint', 'integer', 'bigint'], row: { json: 'text' }, place: inProject(1) }, `with ${then('and g.id = $3', 'and false')} select ${page(`''`)} as json from p, g`);

    const someElements = statement({ parameters: ['bigint', 'integer', 'bigint', 'bigint[]'], row: { json: 'text' }, place: inProject(1) }, `
        with ${then('and g.id = $3', 'and e.id = any($4::bigint[])')} select ${element} as json from p, e order by e.id`);

    async function* largePage(read: Read, place: readonly unknown[], before: string): AsyncGenerator<string> {
        const end = ']}';
        yield before + joined(await read(pageHead, [...place]), 1).slice(0, -end.length);
        for (const [index, group] of groupsOf(await read(elementSizes, [...place]), PIECE).entries()) {
            yield (index === 0 ? '' : ',') + joined(await read(someElements, [...place, group.map(({ id }) => id)]), group.length);
        }

        yield end;
    }

    return {
        /** The state of a project at a point: the text about itself, and its pages or their sizes. */
        async find(read: Read, project: string, { revision, at }: Point): Promise<Tagged & Pick<Whole, 'project' | 'pages'>> {
            const [found] = await read(whole, [project, revision, at]);
            return { open: false, tag: String(revision), ...defined(found) };
        },

        /** The pages that it had then, with commas between them. */
        async* pages(read: Read, project: string, { revision }: Point, pages: readonly Sized[]): AsyncGenerator<string> {
            for (const [index, group] of groupsOf(pages, LARGE).entries()) {
                const separator = index === 0 ? '' : ',';
                const large = group.find(({ weight }) => weight > LARGE);
                if (large === undefined) {
                    yield separator + joined(await read(somePages, [project, revision, group.map(({ id }) => id)]), group.length);
                }
                else {
                    yield* largePage(read, [project, revision, large.id], separator);
                }
            }
        }
    };
}

/** Projects as they were, as the API shows them. */
export const snapshots = snapshotsOf({ project: authoredProjectJson, page: (elements) => pageJson('p.user_id', elements), element: elementJson('p.user_id') });
