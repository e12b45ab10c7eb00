import { fromActiveUser, joinUser } from '../../accounts/users/fragments';
import { inNewProject, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { projectMade } from '../../rules/made-things';
import type { ChangeAuthor } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import { elementColumns, expressions, pageColumns, projectColumns, remixedOf } from '../../rules/columns';
import { refuseSizes, sizeColumns, sizes } from '../../rules/sizes';
import { newCredits } from '../../rules/credits';
import { relinked } from '../../rules/links';
import { isOpen, mayRead } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { fault, forbidden } from '../../api/errors/errors';
import { live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';
import type { CurrentUser } from '../../api/request/caller';
import { projectJson } from '../../api/representations/project';
import type { ProjectFields } from '../../api/representations/project';

const sourceColumns = {
    open: 'boolean',
    is_held: 'boolean',
    /** whether the remixer may see it only as a moderator */
    is_moderated: 'boolean',
    ...sizeColumns
} as const;
type Source = RowOf<typeof sourceColumns>;

const by = { id: '$3::bigint', moderator: '$4::boolean', teaches: '$5::boolean' };

// The share lock keeps the source as it is until its copy is committed; it waits for edits under way. The remixer is
// locked before it, in the order of a user's deletion, which the copy would else be in the way of.
const source = statement({ parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'boolean'], row: sourceColumns, place: writing(inProject(2)) }, `
    with remixer as materialized (select u.id ${fromActiveUser('$3')} for share)
    select ${isOpen('p')} as open, p.held_at is not null as is_held, ${mayRead('p', { ...by, moderator: 'false' })} is not true as is_moderated, ${sizes}
    ${projectChain(by)} and exists (select from remixer) for share of p`);

/**
 * Holds the source still, and the remixer's account; false if either is not there, or the remixer may not see the source.
 * @throws 403 if moderators hold the source, or the remixer may see it only as a moderator, 409 where the source is larger than the limits, as one from before them may be
 */
export async function holdSource(db: Database, userId: string, id: string, remixer: CurrentUser): Promise<boolean> {
    const look = (): Promise<Source | undefined> => runOne(db, source, [userId, id, remixer.id, remixer.moderator, remixer.teaches ?? false]);
    const first = await look();
    // While that waited for the lock, the remixer may have been removed from the members, which only a second look sees.
    const found = first?.open === false ? await look() : first;
    if (found?.is_held) {
        throw fault('held');
    }

    if (found?.is_moderated) {
        throw forbidden('This project is private. Moderators can read it, but only its owner and members can remix it.');
    }

    if (found !== undefined) {
        refuseSizes(0, found.project_bytes);
        refuseSizes(found.page_bytes, 0);
    }

    return found !== undefined;
}

const ofPages = remixedOf(pageColumns);

// One statement: the ids of all copies are drawn first, so that links can be pointed at pages not yet there, and sizes are
// counted as elements are copied. Its foreign keys are checked when all of it is in place.
const copy = statement({ parameters: ['bigint', 'bigint', 'text', 'text', 'visibility', 'bigint'], row: { id: 'bigint', json: 'text' }, place: inNewProject(1) }, `
    ${projectMade(`
        target as materialized (
            select nextval('projects_id_seq') as id, 1 as at, $2::bigint as user_id
        ), copies as materialized (
            select id as source, nextval('pages_id_seq') as copy, ${ofPages.join(', ')} from (
                select * from pages where project_id = $1 and ${live('pages')} order by id) g
        ), ids as materialized (
            select coalesce(jsonb_object_agg(source, copy::text), '{}') as copies from copies
        )`, [{
        user_id: 'target.user_id', remixed_from: 's.id', version: '$3', ...expressions(remixedOf(projectColumns), (name) => `s.${name}`), title: 'coalesce($4, s.title)', visibility: 'coalesce($5::visibility, s.visibility)',
        counted_revision: '1', remixed_revision: 's.revision', credits: newCredits('s')
    }, 'projects s where s.id = $1'], `select copy as id, source as copied_from, ${ofPages.join(', ')} from copies`, `
        select g.copy as page_id, e.id as copied_from, ${remixedOf(elementColumns).map((name) => `${name === 'attributes' ? relinked({ source: '$1', project: 'target.id', user: 'target.user_id', copies: 'ids.copies' }) : `e.${name}`} as ${name}`).join(', ')}
        from target, ids, copies g join elements e on e.page_id = g.source and ${live('e')} order by g.copy, e.id`, { author: 'target.user_id', app: '$6::bigint', kind: 'remix' })}
    select p.id, ${projectJson} as json from made p ${joinUser('p.user_id')}`);

/** The fields of a remix that may differ from its source from the start. */
export type RemixFields = Partial<Pick<ProjectFields, 'title' | 'visibility'>>;

/**
 * A deep copy of the source held before, whatever its size in one statement.
 * @throws violations of pages_size_limit_new and projects_size_limit_new, as links may become longer
 */
export function copyProject(db: Database, id: string, remixer: ChangeAuthor, version: string, { title, visibility }: RemixFields): Promise<{ id: string; json: string } | undefined> {
    return runOne(db, copy, [id, remixer.id, version, title ?? null, visibility ?? null, remixer.app]);
}
