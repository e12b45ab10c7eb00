import { fault, forbidden } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fromLiveProject } from '../../projects/fragments';
import { existing } from '../../rules/existing';
import { holdUser } from '../../rules/hold-user';
import { keepReadable } from '../../rules/keep-readable';
import { mayRead } from '../../rules/visibility';
import { fromLikesOf } from './fragments';
import { MAX_LIKES } from './json';

const foundColumns = { own: 'boolean', liked: 'boolean' } as const;
type Found = RowOf<typeof foundColumns>;

const find = statement({ parameters: ['bigint', 'bigint', 'boolean', 'boolean'], row: foundColumns, place: inProject(1) }, `
    select p.user_id = $2 as own, exists (select ${fromLikesOf('$2')} and l.project_id = p.id) as liked
    ${fromLiveProject('$1')} and ${mayRead('p', { id: '$2::bigint', moderator: '$3::boolean', teaches: '$4::boolean' })}`);

async function findLike(db: Database, project: string, { id, moderator, teaches = false }: CurrentUser): Promise<Found> {
    return existing(await runOne(db, find, [project, id, moderator, teaches]), 'project');
}

/** Whether a user likes a project. @throws 404 if they may not see it */
export async function isLiked(db: Database, project: string, user: CurrentUser): Promise<boolean> {
    return (await findLike(db, project, user)).liked;
}

const counted = statement({ parameters: ['bigint'], row: { n: 'bigint' }, place: inAllShards({ kind: 'sum' }) }, `
    select count(*) as n ${fromLikesOf('$1')}`);
const insert = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, `
    insert into project_likes (project_id, user_id) values ($1, $2)`);
const remove = statement({ parameters: ['bigint', 'bigint'], place: writing(inProject(1)) }, `
    delete from project_likes where project_id = $1 and user_id = $2`);

/**
 * Likes a project, or takes that back. In a transaction.
 * @throws 404 if the user may not see the project, 403 if it is their own, 409 if they like too many
 */
export async function setLike(trx: Database, project: string, user: CurrentUser, likes: boolean): Promise<void> {
    await keepReadable(trx, project, user);
    await holdUser(trx, user.id);
    const { own, liked } = await findLike(trx, project, user);
    if (own) {
        throw forbidden('This project is your own. Others can like it.');
    }

    if (likes && !liked && Number((await runAlways(trx, counted, [user.id])).n) >= MAX_LIKES) {
        throw fault('like_limit');
    }

    if (likes !== liked) {
        await run(trx, likes ? insert : remove, [project, user.id]);
    }
}
