import type { Database } from '../db/connection';
import { guardedWrite } from '../authoring/conditional-write';
import { runOne, statement } from '../db/statement';
import { emptyObject } from '../json/json-text';
import type { JsonText } from '../json/json-text';
import { held, holds } from '../http/entity-tags';
import type { Outcome } from '../http/entity-tags';
import { pageChain, projectMoves } from '../pages/queries';
import { writerValues } from '../projects/queries';
import type { Found, Made, Writer } from '../projects/queries';
import { elementJson, elementsJson } from '../representations/element';

/** SQL for the chain down to an element that is there, the path's ids being $1 to $4. */
const elementChain = `
    from projects p
    join pages g on g.project_id = p.id and g.deleted_at is null
    join elements e on e.page_id = g.id and e.deleted_at is null
    where p.user_id = $1 and p.id = $2 and g.id = $3 and e.id = $4 and p.deleted_at is null`;

/** SQL that counts a write under a page and its project, given the one row of `written` it goes by. */
const parentsMove = (more: string): string => `
    page_moved as (
        update pages g set revision = g.revision + 1, updated_at = now() ${more} from written w where g.id = w.page_id),
    ${projectMoves()}`;

const all = statement<Found>(`
    select g.revision::text as tag, case when not ${held('g.revision::text', '$4')} then ${elementsJson('g.id', 'p.user_id')} end as json ${pageChain}`);

/** JSON texts of a page's elements, in order of creation, with commas between them. */
export function listElements(db: Database, chain: readonly string[], tags: string[]): Promise<Found | undefined> {
    return runOne(db, all, [...chain, tags]);
}

const one = statement<Found>(`
    select e.revision::text as tag, case when not ${held('e.revision::text', '$5')} then ${elementJson('p.user_id')} end as json ${elementChain}`);

export function findElement(db: Database, chain: readonly string[], tags: string[]): Promise<Found | undefined> {
    return runOne(db, one, [...chain, tags]);
}

export interface NewElement {
    type: string;
    attributes?: JsonText;
    styles?: JsonText;
}

const insert = statement<Made>(`
    with found as materialized (select g.id as page_id, g.project_id, p.user_id ${pageChain} for no key update of p),
    made as (
        insert into elements (page_id, type, attributes, styles) select page_id, $5, $6, $7 from found where user_id = $4 returning *
    ), written as (select made.id, found.page_id, found.project_id from found, made),
    ${parentsMove(', element_count = g.element_count + 1')}
    select e.id, ${elementJson('f.user_id')} as json from found f left join made e on true`);

/** @throws a violation of pages_element_limit */
export function insertElement(db: Database, chain: readonly string[], callerId: string, element: NewElement): Promise<Made | undefined> {
    const { type, attributes = emptyObject, styles = emptyObject } = element;
    return runOne(db, insert, [...chain, callerId, type, attributes.text, styles.text]);
}

// $1 to $4 the path, $5 the caller, $6 whether as a moderator, $7 and $8 the precondition.
const remove = statement<Outcome>(guardedWrite({
    found: `select e.id, g.project_id, p.user_id ${elementChain} for no key update of p`,
    allowed: '(f.user_id = $5 or $6)',
    write: `
        update elements e set deleted_at = now(), revision = e.revision + 1, updated_at = now()
        from found f
        where e.id = f.id and e.deleted_at is null and (f.user_id = $5 or $6)
            and ${holds('e.revision', 'e.revision::text', { revision: '$7', tags: '$8' })}`,
    returning: ', e.page_id, f.project_id',
    json: elementJson('$1::bigint'),
    also: [parentsMove(', element_count = g.element_count - 1')]
}));

export function deleteElement(db: Database, chain: readonly string[], writer: Writer): Promise<Outcome | undefined> {
    return runOne(db, remove, [...chain, ...writerValues(writer)]);
}
