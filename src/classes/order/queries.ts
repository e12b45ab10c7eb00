import { fromActiveUser } from '../../accounts/users/fragments';
import { pupilJson, projectClassJson } from '../json';
import { notFound } from '../../api/errors/errors';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime } from '../../database/statements/json-sql';
import { runOne, statement } from '../../database/statements/statement';

/*
 * How teachers keep a class in order: they show and hide projects, and pause pupils. The class is locked.
 */

// That it is hidden is remembered, in case its owner takes it out and puts it in again.
const show = statement({ parameters: ['bigint', 'bigint', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with a as (
        update class_projects set state = case when $3::text is null then 'shown' else 'hidden' end, reason = $3 where project_id = $1 and class_id = $2 returning *
    ), kept as (
        insert into class_hidden_projects (class_id, project_id, reason) select class_id, project_id, reason from a where reason is not null on conflict (class_id, project_id) do update set reason = excluded.reason
    ), forgotten as (
        delete from class_hidden_projects h using a where h.project_id = $1 and h.class_id = $2 and a.reason is null
    )
    select ${projectClassJson} as json from a`);

/**
 * Shows a project to a class that it is in, or hides it.
 * @param reason why it is hidden, for its owner; null to show it
 * @returns the JSON text of the class of the project
 * @throws 404 if it is not in the class
 */
export async function showInClass(trx: Database, classId: string, project: string, reason: string | null): Promise<string> {
    const row = await runOne(trx, show, [project, classId, reason]);
    if (row === undefined) {
        throw notFound('project');
    }

    return row.json;
}

const pause = statement({ parameters: ['bigint', 'bigint', 'timestamp with time zone'], row: { json: 'text' } }, `
    update class_people k set paused_until = $3 ${fromActiveUser('k.user_id')} and k.class_id = $1 and k.user_id = $2 and k.role = 'pupil' returning ${pupilJson('true', isoTime('k.since'))} as json`);

/** Pauses a pupil until a time, or ends the pause with null. @returns their JSON text @throws 404 if the class has no such pupil */
export async function pausePupil(trx: Database, classId: string, pupil: string, until: string | null): Promise<string> {
    const row = await runOne(trx, pause, [classId, pupil, until]);
    if (row === undefined) {
        throw notFound('pupil');
    }

    return row.json;
}
