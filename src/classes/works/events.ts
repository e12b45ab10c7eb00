import { bool, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { run, runOne, statement } from '../../database/statements/statement';
import { EVERYTHING } from '../../accounts/webhooks/place';
import { isLate } from '../assignments/json';

/*
 * That a pupil has handed in a work is told to webhooks, as accounts/webhooks/ describes them: to those of the pupil, and of the teachers of the class. Of the project it says no
 * more than which one: its title may have been another one at the point that was handed in.
 */

const data = jsonObject({
    project: jsonObject({ id: plainQuoted('w.project_id'), user_id: plainQuoted('w.user_id'), revision: 'w.points[cardinality(w.points)]' }),
    work: jsonObject({ id: plainQuoted('w.id'), late: bool(isLate) }),
    assignment: jsonObject({ id: plainQuoted('a.id'), class_id: plainQuoted('a.class_id'), title: quoted('a.title') })
});

/** SQL for whom the work in the row `w`, for the assignment in `a`, is told to. */
const handInRecipients = `array(select k.user_id from class_people k where k.class_id = a.class_id and k.role = 'teacher' order by k.user_id) || w.user_id`;

const watched = statement({ parameters: ['bigint'], row: { told: 'bigint[]', data: 'text' } }, `
    select t.told, ${data} as data from works w join assignments a on a.id = w.assignment_id cross join lateral (select ${handInRecipients} as told) t
    where w.id = $1 and exists (select from webhook_watches v where v.watched in (${EVERYTHING}, w.project_id) or v.watched in (select -u from unnest(t.told) u))`);

const note = statement({ parameters: ['bigint', 'integer', 'bigint[]', 'json'], place: writing(inProject(1)) }, `
    insert into webhook_events (project_id, user_id, event, revision, told, data) select p.id, p.user_id, 'work.handed_in', $2, $3, $4 from projects p where p.id = $1`);

/** Notes that a work was just handed in, if somebody is told of it. In the transaction in which it was. */
export async function enqueueHandInEvent(trx: Database, id: string, project: string, revision: number): Promise<void> {
    const found = await runOne(trx, watched, [id]);
    if (found !== undefined) {
        await run(trx, note, [project, revision, found.told, found.data]);
    }
}
