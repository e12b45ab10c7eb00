import { fromUser } from '../../accounts/users/fragments';
import { fault, notFound } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import { classesLetTalk, fromManagingClasses } from '../../classes/fragments';
import { inProject, writing } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fromLiveProject } from '../../projects/fragments';
import { existing } from '../../rules/existing';
import type { ProjectChain } from '../../rules/chain';
import { Locked } from '../../rules/locked';
import { isMember, mayRead } from '../../rules/visibility';
import type { ReaderExpressions } from '../../rules/visibility';
import { hasBlocked } from '../blocks/fragments';
import { DEFAULT_AUDIENCE } from './audiences';

/*
 * Who may comment on a project: of those who may read it, whom its owner lets and has not blocked (`isLet`), and whom the classes of
 * managed accounts let (`classesLetTalk`). On a cluster the classes are at the coordinator and the settings in shards, so these are two
 * statements.
 *
 * Whoever comments locks the classes and then the project, and looks at all of it afterwards: a setting that was closed holds for what
 * waited. Whoever blocks locks their own account, and so does `stay` before the block is looked at.
 */

/** SQL for who may comment on the project in the row `p`. */
export const audienceOf = `coalesce((select s.who from comment_settings s where s.project_id = p.id), '${DEFAULT_AUDIENCE}')`;

/** SQL for whether the owner of the project in the row `p` lets a user comment who may read it. It is null for nobody. */
export const isLet = (user: string): string => `(not ${hasBlocked('p.user_id', user)} and case ${audienceOf}
    when 'everybody' then true when 'members' then p.user_id = ${user} or ${isMember('p', user)} else false end)`;

/** SQL that reads the project $2 of the user $1 for a reader. */
export const fromReadable = (reader: ReaderExpressions): string => `${fromLiveProject('$2')} and p.user_id = $1 and ${mayRead('p', reader)}`;

const lockClasses = statement({
    parameters: ['bigint[]'], row: { id: 'bigint' }
}, `select c.id ${fromManagingClasses('$1::bigint[]')} for share of c`);

const classRuleColumns = { lets: 'boolean', managed: 'boolean' } as const;
export type ClassRule = RowOf<typeof classRuleColumns>;

const classRule = statement({ parameters: ['bigint', 'bigint', 'boolean'], row: classRuleColumns }, `
    select ${classesLetTalk('$1::bigint', '$2::bigint', '$3::boolean')} as lets, exists (select ${fromUser('$1')} and u.publish is not null) as managed`);

/**
 * Whether classes let a user comment on what is the owner's, and whether a class manages the owner.
 * @param user null for whoever sent no token
 */
export const findClassRule = (db: Database, owner: string, user: string | null, everybody: boolean): Promise<ClassRule> => {
    return runAlways(db, classRule, [owner, user, everybody]);
};

const writer = { id: '$3::bigint', moderator: '$4::boolean', teaches: '$5::boolean' };
export const chainTypes = ['bigint', 'bigint', 'bigint', 'boolean', 'boolean'] as const;
export const chainValues = (chain: ProjectChain, { id, moderator, teaches = false }: CurrentUser): unknown[] => {
    return [...chain, id, moderator, teaches];
};

// Who may not see the project does not wait for its lock.
const lock = statement({
    parameters: [...chainTypes, 'bigint'], row: { id: 'bigint' }, place: writing(inProject(2))
}, `
    select p.id ${fromLiveProject('$2')} and p.user_id = $1 and (${mayRead('p', writer)}
        or exists (select from comments k where k.project_id = $2 and k.id = $6 and k.user_id = $3)) for no key update of p`);

/**
 * Locks a project for somebody who does something with its comments.
 * @param own a comment that may be theirs: it stays so if the project is held, or private by now
 * @throws 404 if there is none that they may see
 */
export async function lockCommented(
    trx: Database, chain: ProjectChain, user: CurrentUser, own: string | null = null
): Promise<Locked<'project'>> {
    return existing(await Locked.by(trx, 'project', lock, [...chainValues(chain, user), own]), 'project');
}

/** Locks a project for somebody who comments on it, after the classes that have a say in it. @throws as `lockCommented` does */
export async function lockToComment(trx: Database, chain: ProjectChain, user: CurrentUser): Promise<Locked<'project'>> {
    await run(trx, lockClasses, [[chain[0], user.id]]);
    return lockCommented(trx, chain, user);
}

const stay = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `select u.id ${fromUser('$1')} for share`);

const look = statement({
    parameters: chainTypes, row: { lets: 'boolean' }, place: inProject(2)
}, `select ${isLet(writer.id)} as lets ${fromReadable(writer)}`);

/**
 * Checks that somebody may comment on a project that was locked for that.
 * @param everybody whether all teach whom no class manages (`TEACHERS=open`)
 * @throws 404 if they may not see it any more, 403 `comments_closed` if they may not comment
 */
export async function checkMayComment(
    { trx }: Locked<'project'>, chain: ProjectChain, user: CurrentUser, everybody: boolean
): Promise<void> {
    const [owner] = chain;
    await run(trx, stay, [owner]);
    const [found, { lets }] = await Promise.all([
        runOne(trx, look, chainValues(chain, user)), findClassRule(trx, owner, user.id, everybody)
    ]);
    if (found === undefined) {
        throw notFound('project');
    }

    if (!found.lets || !lets) {
        throw fault('comments_closed');
    }
}
