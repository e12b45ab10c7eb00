import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { allowed, makerParameters, makerTypes, makerValues, stillAllowed, writerParameters, writerTypes, writerValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { elementChain, pageChain } from '../../rules/chain';
import { elementColumns, expressions, namesOf, typesOf, valuesOf } from '../../rules/columns';
import { guardedWrite, madeColumns, outcomeColumns } from '../../rules/conditional-write';
import type { Made, Outcome } from '../../rules/conditional-write';
import { foundColumns } from '../../rules/read';
import type { Found } from '../../rules/read';
import { elementBytes } from '../../rules/sizes';
import { forReaders, isOpen } from '../../rules/visibility';
import type { Reader } from '../../rules/visibility';
import { beginsAt, counts, inserted, parentsMoved, updated } from '../../rules/write-sql';
import { deletes, live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';
import { tagMatches, preconditionHolds } from '../../api/request/entity-tags';
import { textOfPage } from '../pages/page-text';
import { elementJson, elementsJson } from '../../api/representations/element';
import type { ElementFields } from '../../api/representations/element';

/** JSON texts of a page's elements, in order of creation, with commas between them; null if they are too large for one text. */
export const listElements = textOfPage(elementsJson('g.id', 'g.user_id'));

const one = forReaders({ parameters: ['bigint', 'bigint', 'bigint', 'bigint', 'text[]'], row: foundColumns, place: inProject(2) }, (reader) => `
    select ${isOpen('p')} as open, e.revision::text as tag, case when not ${tagMatches('e.revision::text', '$5')} then ${elementJson('p.user_id')} end as json ${elementChain(reader)}`);

export function findElement(db: Database, chain: readonly string[], tags: string[], reader: Reader): Promise<Found | undefined> {
    return runOne(db, ...one(reader, [...chain, tags]));
}

const names = namesOf(elementColumns);
const maker = makerParameters(3);
const insert = statement({ parameters: ['bigint', 'bigint', 'bigint', ...makerTypes, ...typesOf(elementColumns, names)], row: madeColumns, place: writing(inProject(2)) }, `
    with locked as materialized (select g.id as page_id, g.project_id, p.user_id, p.revision + 1 as at, ${allowed('p', maker)} as allowed ${pageChain(maker)} for no key update of p),
    found as materialized (${stillAllowed(maker)}),
    made as (
        ${inserted('elements', { page_id: 'page_id', project_id: 'project_id', ...beginsAt('at'), ...expressions(names, (_name, n) => `$${n + 4 + makerTypes.length}`) }, 'from found where may returning *')}
    ), written as (select e.id, found.page_id, found.project_id, found.at, ${elementBytes} as grown from found, made e),
    ${parentsMoved({ author: maker.id, app: maker.app, kind: 'edit', counts: counts({ elements: [1, 0, 0] }) }, 'element_count = g.element_count + 1')}
    select e.id, ${elementJson('f.user_id')} as json from found f left join made e on true`);

/** @throws violations of pages_element_limit, pages_size_limit and projects_size_limit */
export function insertElement(db: Database, chain: readonly string[], writer: Writer, fields: Partial<ElementFields>): Promise<Made | undefined> {
    const values = valuesOf(names, { ...elementColumns.initial, ...fields });
    return runOne(db, insert, [...chain, ...makerValues(writer), ...values]);
}

const by = writerParameters(4);
const remove = statement({ parameters: ['bigint', 'bigint', 'bigint', 'bigint', ...writerTypes], row: outcomeColumns, place: writing(inProject(2)) }, guardedWrite({
    by,
    // The element is locked as well, so that its size is the one that the writer before left.
    found: `select e.id, g.project_id, p.user_id, p.revision + 1 as at, -${elementBytes} as grown, ${allowed('p', by)} as allowed ${elementChain(by)} for no key update of p, e`,
    write: updated('elements', { set: [deletes], at: 'f.at' }, `
        from found f
        where e.id = f.id and ${live('e')} and f.may
            and ${preconditionHolds('e.revision', 'e.revision::text', by)}`),
    returning: ', e.page_id, f.project_id, f.at, f.grown',
    json: elementJson('$1::bigint'),
    also: [parentsMoved({ author: by.id, app: by.app, kind: 'edit', counts: counts({ elements: [0, 0, 1] }) }, 'element_count = g.element_count - 1')]
}));

export function deleteElement(db: Database, chain: readonly string[], writer: Writer): Promise<Outcome | undefined> {
    return runOne(db, remove, [...chain, ...writerValues(writer)]);
}
