import { fromLiveProject } from '../../projects/fragments';
import { faultWith } from '../../api/errors/errors';
import { inAllShards, inProject, writing } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_REPORTS_A_DAY } from '../../limits';
import { existing } from '../../rules/existing';
import { keepReadable } from '../../rules/keep-readable';
import { guest, isOpen } from '../../rules/visibility';
import { hashOfDay } from '../discovery/views';
import type { Report } from './queue';

/*
 * Reports by people who are not signed in, by their address: of it only a hash is stored, with a salt that is deleted after a day.
 */

/** Seconds after which one can send more. */
const DAY = 24 * 3600;

const begin = statement({ parameters: ['bigint'], row: { revision: 'integer' }, place: inProject(1) }, `select p.revision ${fromLiveProject('$1')} and ${isOpen('p')}`);

const lock = statement({ parameters: ['bigint'], row: { round: 'integer' }, place: writing(inProject(1)) }, `
    insert into report_queue (project_id) values ($1) on conflict (project_id) do update set project_id = excluded.project_id returning round`);

// A statement of its own: the one that waits for the lock does not see what was reported meanwhile.
const look = statement({ parameters: ['bigint', 'bytea'], row: { known: 'boolean' }, place: inProject(1) }, 'select exists (select from guest_reports where project_id = $1 and viewer = $2) as known');

const sent = statement({ parameters: ['bytea'], row: { count: 'integer' }, place: inAllShards() }, 'select count(*)::int as count from guest_reports where viewer = $1');

const reportJson = jsonObject({ project_id: plainQuoted('r.project_id'), reason: plainQuoted('r.reason'), text: quoted('r.text'), created_at: plainQuoted(isoTime('r.at')) });

// What a moderator has decided about comes back by reports of users alone, unless it was changed since.
const add = statement({ parameters: ['bigint', 'bytea', 'text', 'text', 'integer', 'integer'], row: { json: 'text' }, place: writing(inProject(1)) }, `
    with r as (insert into guest_reports (project_id, viewer, reason, text, round) values ($1, $2, $3, $4, $5) returning *), counted as (
        update report_queue q set count = q.count + 1, newest_at = r.at, open = q.open or q.decided_revision is distinct from $6::int from r where q.project_id = r.project_id
    )
    select ${reportJson} as json from r`);

const replace = statement({ parameters: ['bigint', 'bytea', 'text', 'text'], row: { json: 'text' }, place: writing(inProject(1)) }, `update guest_reports r set reason = $3, text = $4 where project_id = $1 and viewer = $2 returning ${reportJson} as json`);

/**
 * Reports a project that everybody may see. Needs a transaction.
 * @param day UTC, as YYYY-MM-DD
 * @param address that of the guest, or the /64 of it
 * @returns the JSON text of the report
 * @throws 404 if not everybody may see the project, 429 if the address has sent too many reports on this day
 */
export async function addGuestReport(trx: Database, projectId: string, { day, address }: { day: string; address: string }, { reason, text }: Report): Promise<string> {
    await keepReadable(trx, projectId, guest);
    const found = existing(await runOne(trx, begin, [projectId]), 'project');
    const viewer = await hashOfDay(trx, day, `guest ${address}`);
    const { round } = await runAlways(trx, lock, [projectId]);
    if ((await runAlways(trx, look, [projectId, viewer])).known) {
        return (await runAlways(trx, replace, [projectId, viewer, reason, text])).json;
    }

    if ((await runAlways(trx, sent, [viewer])).count >= MAX_REPORTS_A_DAY) {
        throw faultWith('rate_limited', [DAY], { retryAfter: DAY });
    }

    return (await runAlways(trx, add, [projectId, viewer, reason, text, round, found.revision])).json;
}
