import type { Request } from '@hapi/hapi';

import { fromProjects } from '../../projects/fragments';
import { fromUsers } from '../../accounts/users/fragments';
import { logsAct, logsActParameters } from './fragments';
import type { ThingType } from '../../api/representations/things';
import { inEachProject, inOneShard, inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';
import { statusOf } from '../../api/request/responses';
import { isId } from '../../api/request/schema';
import { isMember, isOfAudience, isOpen } from '../../rules/visibility';

/** The acts of moderators, as the log shows them. Reads are noted below, and the triggers of community/moderation/schema.sql add `feature`, `unfeature` and `remove`. */
export const acts = [
    'block_picture', 'dismiss_teacher', 'feature', 'hold', 'keep', 'make_teacher', 'purge', 'read', 'read_history', 'read_members', 'read_trash', 'release', 'remove', 'restore', 'reverse',
    'suspend', 'unblock_picture', 'unfeature', 'unsuspend', 'uphold'
] as const;

export type ModeratorAct = typeof acts[number];

/** A line of the log. */
export interface LogEntry {
    act: ModeratorAct;
    /** null if an operator did it */
    moderatorId: string | null;
    type: ThingType | 'comment' | 'user';
    id: string;
    /** the project that it is, or is in; null for a user */
    projectId: string | null;
    ownerId: string;
    reason: string | null;
}

const add = statement({ parameters: logsActParameters, place: writing(inProject(5)) }, logsAct);

/** Adds a line to the moderation log, as a part of the transaction that does what it says. */
export async function logAct(trx: Database, { moderatorId, act, type, id, projectId, ownerId, reason }: LogEntry): Promise<void> {
    await run(trx, add, [moderatorId, act, type, id, projectId, ownerId, reason]);
}

/** SQL for whether a moderator's read is to be noted: once an hour for each thing. */
const notLately = (act: string, id: string): string => `not exists (
    select from moderation_log l where l.moderator_id = $1 and l.act = '${act}' and l.thing_id = ${id} and l.at > now() - interval '1 hour')`;

/** SQL that notes reads of the projects in $2 by the moderator $1, but for those whose owner or member the moderator is, or that are in a class of theirs for them to read. */
const projectsRead = (act: string, condition: string): string => `
    select log_act($1, '${act}', 'project', p.id, p.id, p.user_id, null)
    ${fromProjects('p.id = any($2::bigint[])')} and p.user_id <> $1 and not ${isMember('p', '$1')} and not ${isOfAudience('p', '$1')} and ${condition} and ${notLately(act, 'p.id')} order by p.id`;

const reads = {
    read: statement({ parameters: ['bigint', 'bigint[]'], place: writing(inEachProject(2)) }, projectsRead('read', `not ${isOpen('p')}`)),
    read_history: statement({ parameters: ['bigint', 'bigint[]'], place: writing(inEachProject(2)) }, projectsRead('read_history', 'true')),
    read_members: statement({ parameters: ['bigint', 'bigint[]'], place: writing(inEachProject(2)) }, projectsRead('read_members', 'true')),
    read_trash: statement({ parameters: ['bigint', 'bigint[]'], place: writing(inOneShard) }, `select log_act($1, 'read_trash', 'user', u.id, null, u.id, null) ${fromUsers('u.id = any($2::bigint[])')} and u.id <> $1 and ${notLately('read_trash', 'u.id')}`)
};

/** The reads that are logged: those of projects that are not for everybody (`read`), of the history or the members of any project, or of the trash of a user. */
type Read = keyof typeof reads;

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** what is noted if a moderator is the caller: `read` if it is left out. `nothing` if the route shows moderators no more than others, or logs what they do there */
        noted?: Read | 'nothing';
    }
    interface RequestApplicationState {
        /** the moderator by whose right a route that does not authenticate has read something that is not for everybody; and the projects beside the one in the path that any route has read */
        moderatorRead?: { id?: string; noted?: Read; others: Iterable<string> };
    }
}

/** Statuses of responses that tell nothing of what they are about, not even that it exists. */
const telling = (status: number): boolean => status < 500 && ![401, 404, 413, 415, 429].includes(status);

/**
 * Stage: notes what a moderator has read, before the response is sent, whichever route it is. The statements leave out what the moderator
 * may read anyway. A route names nothing for that but the projects that are not in its path.
 */
export async function noteModeratorsRead(db: Database, { app: { moderatorRead }, auth, params, response, route }: Request): Promise<void> {
    const caller = auth.isAuthenticated ? auth.credentials.user : undefined;
    const moderator = moderatorRead?.id ?? (caller?.moderator ? caller.id : undefined);
    const noted = moderatorRead?.noted ?? route.settings.app?.noted ?? 'read';
    if (moderator === undefined || noted === 'nothing' || !telling(statusOf(response))) {
        return;
    }

    const named: unknown = noted === 'read_trash' ? params.user : params.project;
    const ids = [...new Set([...isId(String(named)) ? [String(named)] : [], ...moderatorRead?.others ?? []])];
    if (ids.length > 0) {
        await run(db, reads[noted], [moderator, ids]);
    }
}
