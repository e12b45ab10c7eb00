import { fromWatches, insertEvents } from '../../accounts/webhooks/fragments';
import { bool, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { EVERYTHING } from '../../accounts/webhooks/place';
import { isLate } from '../assignments/json';

/*
 * That a pupil has handed in a work is told to webhooks, as accounts/webhooks/ describes them: to those of the pupil, and of the teachers
 * of the class. Of the project it says no more than which one: its title may have been another one at the point that was handed in.
 */

const data = jsonObject({
    project: jsonObject({ id: plainQuoted('w.project_id'), user_id: plainQuoted('w.user_id'), revision: 'w.points[cardinality(w.points)]' }),
    work: jsonObject({ id: plainQuoted('w.id'), late: bool(isLate) }),
    assignment: jsonObject({ id: plainQuoted('a.id'), class_id: plainQuoted('a.class_id'), title: quoted('a.title') })
});

/** SQL for whom the work in the row `w`, for the assignment in `a`, is told to. */
const handInRecipients = `array(select k.user_id from class_people k
    where k.class_id = a.class_id and k.role = 'teacher' order by k.user_id) || w.user_id`;

/** SQL, as a common table expression after the work in the row `written`, for the event: no row if nobody is told of it. */
export const handInEvent = `
    event as materialized (
        select t.recipients, ${data} as data from written w join assignments a on a.id = w.assignment_id
            cross join lateral (select ${handInRecipients} as recipients) t
        where exists (select ${fromWatches(`v.watched in (${EVERYTHING}, w.project_id) or v.watched in (select -u from unnest(t.recipients) u)`)})
    )`;

/** SQL that enqueues it, given `recipients`, null for none, and `data` as expressions, and the project's `project_id` and `user_id` and the revision in the row `point`. */
export const eventEnqueued = (recipients: string, json: string): string => `
    ${insertEvents}
    select p.project_id, p.user_id, 'work.handed_in', p.revision, ${recipients}, ${json} from point p where ${recipients} is not null`;
