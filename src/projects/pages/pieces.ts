import { joinElements } from './fragments';
import { joinLiveProject } from '../fragments';
import { inAllShards } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { elementWeight } from '../../rules/sizes';
import { live } from '../../database/statements/deletion';
import type { Read } from '../../database/statements/snapshot';
import { statement } from '../../database/statements/statement';
import { ChangedWhileSent } from '../../api/request/streamed-body';
import { LARGE } from '../../limits';
import { elementJson, joinedElements } from '../../api/representations/element';
import { pageJson } from '../../api/representations/page';
import type { PageSize } from './queries';

// What is too large for one text is read and sent in pieces: several small pages, or some elements of a large one. A piece is read only if
// its pages still have the revisions that they had at first, so that all pieces show one state, whether a snapshot is kept or not.

/** A page in the state in which it is sent. */
interface SentPage {
    id: string;
    revision: string;
}

/** Bytes of elements that are read together. An element may have little more than 4 MiB. */
export const PIECE = 1024 * 1024;

/** Something, and about how many bytes of JSON text it is. */
export const sizedColumns = {
    id: 'bigint',
    weight: 'double precision'
} as const;
export type Sized = RowOf<typeof sizedColumns>;

/** Things in their order, as many together as have `most` bytes. One with more is alone. */
export function groupsOf<Thing extends Pick<Sized, 'weight'>>(things: readonly Thing[], most: number): Thing[][] {
    const groups: Thing[][] = [];
    let weight = Infinity;
    for (const thing of things) {
        weight += thing.weight;
        if (weight > most) {
            groups.push([]);
            weight = thing.weight;
        }

        groups.at(-1)?.push(thing);
    }

    return groups;
}

/** The JSON texts of as many things as are expected, with commas between them. @throws ChangedWhileSent */
export function joined(rows: readonly { json: string }[], expected: number): string {
    if (rows.length < expected) {
        throw new ChangedWhileSent();
    }

    return rows.map(({ json }) => json).join(',');
}

/** Reads pages in pieces. All of them throw ChangedWhileSent if something is not as it was at first. */
export interface PagePieces {
    /** The elements of a page that has some, with commas between them. */
    elementsOf(read: Read, page: SentPage): AsyncGenerator<string>;
    /** A page with its elements, of which it has some, after some text. */
    onePage(read: Read, page: SentPage, before?: string): AsyncGenerator<string>;
    /** Pages, with commas between them. */
    allPages(read: Read, pages: readonly PageSize[]): AsyncGenerator<string>;
}

/** The content of the pieces. */
interface Texts {
    /** SQL for the JSON text of the page in the row `g` of the project in `p`, given that of its elements, which come last in it */
    page(elements: string): string;
    /** SQL for the JSON text of the element in the row `e` */
    element: string;
    /** joins the project `p` of the page */
    project?: string;
}

/** Reads pages in pieces that show these texts. */
export function piecesOf({ page: pageText, element, project = joinLiveProject('g.project_id') }: Texts): PagePieces {
    const livePage = `from pages g ${project} and ${live('g')}`;
    const wholePages = statement({ parameters: ['bigint[]', 'text[]'], row: { json: 'text' }, place: inAllShards() }, `
        select ${pageText(joinedElements('g.id', element))} as json ${livePage}
        join unnest($1::bigint[], $2::text[]) as state (id, revision) on state.id = g.id and state.revision = g.revision::text
            order by g.id`);
    /** The page without elements. */
    const pageHead = statement({ parameters: ['bigint', 'text'], row: { json: 'text' }, place: inAllShards() }, `select ${pageText(`''`)} as json ${livePage} where g.id = $1 and g.revision::text = $2`);
    const liveElements = `${livePage} ${joinElements} where g.id = $1 and g.revision::text = $2`;
    const elementSizes = statement({ parameters: ['bigint', 'text'], row: sizedColumns, place: inAllShards() }, `select e.id, ${elementWeight} as weight ${liveElements} order by e.id`);
    const someElements = statement({ parameters: ['bigint', 'text', 'bigint[]'], row: { json: 'text' }, place: inAllShards() }, `select ${element} as json ${liveElements} and e.id = any($3::bigint[]) order by e.id`);

    async function* elementsOf(read: Read, { id, revision }: SentPage): AsyncGenerator<string> {
        const groups = groupsOf(await read(elementSizes, [id, revision]), PIECE);
        if (groups.length === 0) {
            throw new ChangedWhileSent();
        }

        for (const [index, group] of groups.entries()) {
            const rows = await read(someElements, [id, revision, group.map((one) => one.id)]);
            yield (index === 0 ? '' : ',') + joined(rows, group.length);
        }
    }

    async function* onePage(read: Read, page: SentPage, before = ''): AsyncGenerator<string> {
        const end = ']}';
        yield before + joined(await read(pageHead, [page.id, page.revision]), 1).slice(0, -end.length);
        yield* elementsOf(read, page);
        yield end;
    }

    async function* allPages(read: Read, pages: readonly PageSize[]): AsyncGenerator<string> {
        for (const [index, group] of groupsOf(pages, LARGE).entries()) {
            const separator = index === 0 ? '' : ',';
            const large = group.find(({ weight }) => weight > LARGE);
            if (large !== undefined) {
                yield* onePage(read, large, separator);
            }
            else {
                const rows = await read(wholePages, [group.map(({ id }) => id), group.map(({ revision }) => revision)]);
                yield separator + joined(rows, group.length);
            }
        }
    }

    return { elementsOf, onePage, allPages };
}

export const { elementsOf, onePage, allPages } = piecesOf({ page: (elements) => pageJson('p.user_id', elements), element: elementJson('p.user_id') });
