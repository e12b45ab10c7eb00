import { fromAssets, fromSentAssets } from '../../files/assets/fragments';
import { joinElements, joinPages } from '../../projects/pages/fragments';
import { fromLiveProject, fromProjects } from '../../projects/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { inProject, known, notOnCluster, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { NothingToChange, changeSet, writeChangeSet } from '../../rules/change-set';
import { jsonOf } from '../../api/json/json-text';
import type { JsonText } from '../../api/json/json-text';

/** A page or element that has data URIs. */
export interface Thing {
    project_id: string;
    user_id: string;
    username: string;
    type: 'page' | 'element';
    id: string;
    bytes: number;
}

/** One as it was read. */
const readThingColumns = { type: known<Thing['type']>('text'), id: 'text', revision: 'integer', attributes: 'text', styles: 'text' } as const;
export type ReadThing = RowOf<typeof readThingColumns>;

/** A thing with references; null for what stays as it was. */
export interface Lifted extends Pick<ReadThing, 'type' | 'id' | 'revision'> {
    attributes: JsonText | null;
    styles: JsonText | null;
}

const holds = (json: string): string => `(octet_length(${json}::text) > $2::int and position('"data:' in ${json}::text) > 0)`;

// Not of deleted projects, pages and elements, because nobody could see such a change.
const find = statement({ parameters: ['bigint', 'integer'], row: { last: 'text?', things: known<Thing[]>('json', [{ project_id: '', user_id: '', username: '', type: 'page', id: '', bytes: 1 }]) }, place: notOnCluster }, `
    with few as materialized (select p.id, p.user_id ${fromProjects('p.id > $1')} and ${live('p')} order by p.id limit 100),
    found as (
        select p.id as project_id, p.user_id, 'page' as type, g.id, octet_length(g.styles::text) as bytes
            from few p ${joinPages} where ${holds('g.styles')}
        union all
        select p.id, p.user_id, 'element', e.id, octet_length(e.attributes::text) + octet_length(e.styles::text)
            from few p ${joinPages} ${joinElements} where ${holds('e.attributes')} or ${holds('e.styles')}
    )
    select (select max(id)::text from few) as last, coalesce((
        select json_agg(json_build_object('project_id', f.project_id::text, 'user_id', f.user_id::text, 'username', u.username, 'type', f.type, 'id', f.id::text, 'bytes', f.bytes)
            order by f.project_id, f.type, f.id)
        from found f ${joinUser('f.user_id')}), '[]') as things`);

/** The pages and elements with data URIs in the next hundred projects after one. @returns also the last of those projects; null if there are no more */
export const findThings = (db: Database, after: string, atLeast: number): Promise<{ last: string | null; things: Thing[] }> => runAlways(db, find, [after, atLeast]);

const read = statement({ parameters: ['bigint[]', 'bigint[]'], row: readThingColumns, place: notOnCluster }, `
    select 'page' as type, id::text as id, revision, '{}' as attributes, styles::text as styles from pages where id = any($1::bigint[]) and ${live('pages')}
    union all select 'element', id::text, revision, attributes::text, styles::text from elements where id = any($2::bigint[]) and ${live('elements')}`);

const idsOf = (things: readonly Pick<Thing, 'type' | 'id'>[], kind: Thing['type']): string[] => things.filter(({ type }) => type === kind).map(({ id }) => id);

export const readThings = (db: Database, things: readonly Thing[]): Promise<ReadThing[]> => run(db, read, [idsOf(things, 'page'), idsOf(things, 'element')]);

const stored = statement({ parameters: ['text[]'], row: { hash: 'text' } }, `select a.hash ${fromAssets('$1::text[]')} order by a.hash for key share`);

/** Those of the hashes that are assets. These cannot be removed until the end of the transaction. */
export const findKnown = async (db: Database, hashes: readonly string[]): Promise<Set<string>> => new Set((await run(db, stored, [hashes])).map(({ hash }) => hash));

const used = statement({ parameters: ['bigint'], row: { used: 'double precision' } }, `select coalesce(sum(s.size), 0)::float8 as used ${fromSentAssets('$1')}`);

/** Bytes of all assets that a user has sent. */
export const quotaUsed = async (db: Database, user: string): Promise<number> => (await runAlways(db, used, [user])).used;

const lock = statement({ parameters: ['bigint'], row: { id: 'bigint' }, place: writing(inProject(1)) }, `select p.id ${fromLiveProject('$1')} for no key update`);
const given = (parameter: string): string => `json_to_recordset(${parameter}::json) as r (id bigint, revision integer, attributes json, styles json)`;
const lifted = changeSet({
    kind: 'bulk', parameters: ['json', 'json'],
    pages: `
        select g.id, true as shown, null::integer as x, null::integer as y, r.styles
        from ${given('$3')} join pages g on g.id = r.id and g.revision = r.revision and ${live('g')}`,
    elements: `
        select e.id, true as shown, r.attributes, r.styles
        from ${given('$4')} join elements e on e.id = r.id and e.revision = r.revision and ${live('e')} join pages g on g.id = e.page_id and ${live('g')}`
});

/** Writes things as one change of their project, by nobody, unless they have another revision by now. Needs a transaction. @throws NothingToChange */
export async function writeThings(trx: Database, project: string, things: readonly Lifted[]): Promise<void> {
    if (await runOne(trx, lock, [project]) === undefined) {
        throw new NothingToChange();
    }

    const rows = (kind: Thing['type']): string => jsonOf(things.filter(({ type }) => type === kind));
    await writeChangeSet(trx, lifted, project, null, rows('page'), rows('element'));
}
