import { hasVisibility } from '../../rules/visibility';
import { byCitus, inAllShards, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { AssetStorage } from '../assets/storage';
import { fromShownAssets } from '../assets/fragments';
import { storeAssets } from '../assets/register';
import type { ReceivedAsset } from '../assets/register';
import { leaseIn } from '../../database/jobs/lease';
import type { Outcome } from '../../database/jobs/in-steps';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { lookup, run, runOne, statement } from '../../database/statements/statement';

/** How often at most the thumbnail of one project is made. */
const PAUSE = `interval '5 minutes'`;

/** Changes that are looked at again: those of transactions that were not committed, and of projects whose thumbnail was just made. */
const AGAIN = `interval '15 minutes'`;

/** A thumbnail takes less. */
const lease = leaseIn('claimed_until', 120);

/** Bytes of what is on a page, and elements of it, beyond which it is drawn without the rest. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ELEMENTS = 500;

/** Pictures of a page that are drawn. */
const MAX_PICTURES = 40;

/** How many projects of one owner are looked at before those of others have their turn again, and how many of all owners in one round. */
const OF_ONE = 5;
const ROUND = 200;

/** A project whose thumbnail may have to be made. */
const nextColumns = {
    id: 'text',
    /** the time of this query, as PostgreSQL reads it, if it found no changed project that is due, but one that is older than thumbnails; else null */
    noneChangedAt: 'text?',
    /** which of its owner's projects of this round it is, from 1 */
    turn: 'integer'
} as const;
export type Next = RowOf<typeof nextColumns>;

// Each owner's first, then each owner's second, and so on: however many projects one account makes, others wait for a few of them.
const changed = statement({ row: nextColumns, place: inAllShards() }, `
    select id, "noneChangedAt", turn from (
        select p.id::text as id, null as "noneChangedAt", (row_number() over (partition by p.user_id order by max(c.at), p.id))::int as turn
        from project_changes c join projects p on p.id = c.project_id left join made_thumbnails m on m.project_id = p.id
        where c.at > (select done_until from thumbnail_progress) - ${AGAIN} and ${live('p')}
            and m.revision is distinct from p.revision and (m.made_at is null or m.made_at < now() - ${PAUSE})
        group by p.user_id, p.id
    ) due where turn <= ${OF_ONE} order by turn, id limit ${ROUND}`);

const older = lookup({ row: nextColumns, place: inAllShards({ kind: 'pick', column: 'noneChangedAt' }) }, `
    select p.id::text as id, now()::text as "noneChangedAt", 1 as turn from projects p
        where p.id > (select filled_to from thumbnail_progress) and ${live('p')}
        and not exists (select from made_thumbnails m where m.project_id = p.id)
    order by p.id limit 1`);

/** Some of the projects that have changed, in the order in which they are due, or else one that is older than thumbnails. */
export async function findDue(db: Database): Promise<Next[]> {
    const due = await run(db, changed, []);
    return due.length > 0 ? due.sort((a, b) => a.turn - b.turn) : await run(db, older, []);
}

const claimedColumns = { since: 'text', token: 'text' } as const;
export type Claimed = RowOf<typeof claimedColumns>;

const claim = statement({ row: claimedColumns }, `
    update thumbnail_progress t set claimed_until = ${lease.until} where ${lease.isFree('t')}
        returning now()::text as since, ${lease.token('t')} as token`);
// `done_until` is moved on here too: otherwise the changes of hours would be read again for each of many older projects.
const renew = statement({ parameters: ['timestamp with time zone', 'bigint', 'timestamp with time zone'], row: { token: 'text' } }, `
    update thumbnail_progress t set claimed_until = ${lease.until}, done_until = coalesce($3::timestamptz, done_until),
        filled_to = case when $3::timestamptz is null then filled_to else greatest(filled_to, $2::bigint) end
    where ${lease.isHeld('t', '$1')} returning ${lease.token('t')} as token`);
// Citus 13.2 updates nothing if the subquery is in a branch of `case` that is not taken.
const release = statement({ parameters: ['timestamp with time zone', 'boolean', 'timestamp with time zone'], place: byCitus }, `
    with last as materialized (select max(project_id) as id from made_thumbnails)
    update thumbnail_progress t set claimed_until = now() - interval '1 second', done_until = case when $2 then $3::timestamptz else done_until end,
        filled_to = case when $2 then greatest(filled_to, last.id) else filled_to end from last where ${lease.isHeld('t', '$1')}`);

/** Leases the work. @returns the token, and the time before which all changes are found from now on; undefined if another instance has the lease */
export const claimWork = (db: Database): Promise<Claimed | undefined> => runOne(db, claim, []);

/** Has the lease go on. @param done what was done last @returns the new token; undefined if the lease was lost */
export async function renewWork(db: Database, token: string, { id, noneChangedAt }: Next): Promise<string | undefined> {
    return (await runOne(db, renew, [token, id, noneChangedAt]))?.token;
}

/** Ends the lease. */
export async function releaseWork(db: Database, token: string, outcome: Outcome, { since }: Claimed): Promise<void> {
    await run(db, release, [token, outcome === 'done', since]);
}

/** A project, and what is on its first page. */
const dueColumns = {
    id: 'text',
    revision: 'integer',
    /** whether its author has no thumbnail, and there is something to draw */
    wanted: 'boolean',
    private: 'boolean',
    /** of the last thumbnail that was made */
    mark: 'text',
    made: 'text?',
    styles: 'text',
    elements: 'text',
    /** SHA-256 of the pictures */
    pictures: 'text[]'
} as const;
export type Due = RowOf<typeof dueColumns>;

const read = statement({ parameters: ['bigint'], row: dueColumns, place: inProject(1) }, `
    with p as materialized (select id, revision, thumbnail::text as thumbnail, visibility, made_thumbnail
        from projects p where id = $1 and ${live('p')}),
    g as materialized (select g.id, g.styles from p join pages g on g.project_id = p.id and ${live('g')} order by g.id limit 1),
    e as materialized (
        select * from (
            select e.id, e.type, e.attributes, e.styles, sum(octet_length(e.attributes::text) + octet_length(e.styles::text)) over (order by e.id) as total
            from (select e.* from g join elements e on e.page_id = g.id and ${live('e')} order by e.id limit ${MAX_ELEMENTS}) e
        ) sized where total <= ${MAX_BYTES}
    )
    select p.id::text as id, p.revision, p.thumbnail = '{}' and exists (select from e) as wanted,
        ${hasVisibility('p', 'private')} as private, p.made_thumbnail as made,
        case when m.mark is null or (${hasVisibility('p', 'private')} and not m.private) then gen_random_uuid() else m.mark end::text as mark,
        coalesce((select styles::text from g), '{}') as styles,
        coalesce((select '[' || string_agg(json_build_object('type', e.type, 'attributes', e.attributes, 'styles', e.styles)::text, ',' order by e.id) || ']' from e), '[]') as elements,
        array(select distinct lower(right(e.attributes->>'src', 64)) from e
            where e.type = 'image' and e.attributes->>'src' ~ '^asset:[0-9a-fA-F]{64}$' limit ${MAX_PICTURES}) as pictures
    from p left join made_thumbnails m on m.project_id = p.id`);

/** The input for the thumbnail of a project; undefined if it was deleted meanwhile. */
export const findPageToDraw = (db: Database, id: string): Promise<Due | undefined> => runOne(db, read, [id]);

const shown = statement({ parameters: ['text[]'], row: { hash: 'text' } }, `select a.hash ${fromShownAssets('$1::text[]')}`);

/** Those of the pictures of a page that are shown: no scan has to let them pass. */
export const findShown = async (db: Database, { pictures }: Due): Promise<string[]> => (await run(db, shown, [pictures])).map(({ hash }) => hash);

const note = statement({ parameters: ['bigint', 'integer', 'uuid', 'boolean'], place: writing(inProject(1)) }, `
    insert into made_thumbnails (project_id, revision, mark, private) values ($1, $2, $3, $4)
    on conflict (project_id) do update set revision = excluded.revision, mark = excluded.mark, private = excluded.private, made_at = now()`);
const show = statement({ parameters: ['bigint', 'text'], place: writing(inProject(1)) }, `
    with old as materialized (select id, made_thumbnail from projects p where id = $1 and ${live('p')} for no key update),
    doubted as (insert into asset_doubts (project_id) select id from old
        where made_thumbnail is distinct from $2 and made_thumbnail is not null on conflict do nothing),
    used as (insert into asset_uses (project_id, hash) select id, $2 from old where $2 is not null on conflict do nothing)
    update projects p set made_thumbnail = $2 from old where p.id = old.id`);

/** Notes what was made of a project's first page: a picture, or null if there is none to show. Needs a transaction. It is no change of the project. */
export async function keepThumbnail(trx: Database, storage: AssetStorage, { id, revision, mark, private: isPrivate, made }: Due, picture: ReceivedAsset | null): Promise<void> {
    if (picture !== null) {
        await storeAssets(trx, storage, [picture], true);
    }

    const hash = picture?.hash ?? null;
    if (hash !== made) {
        await run(trx, show, [id, hash]);
    }

    await run(trx, note, [id, revision, mark, isPrivate]);
}

const setOrigin = statement({ parameters: ['text'] }, 'update thumbnail_progress set origin = $1 where origin <> $1');

/** Keeps the address of the service, which the addresses of thumbnails begin with. */
export const storeOrigin = async (db: Database, origin: string): Promise<void> => void await run(db, setOrigin, [origin]);
