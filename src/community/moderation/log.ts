import { inAllShards } from '../../database/declaration';
import { fittingPage } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { run, statement } from '../../database/statements/statement';
import { MAX_LISTED } from '../../limits';

const person = (row: string): string => jsonObject({ id: plainQuoted(`l.${row}_id`), username: quoted(`l.${row}_name`) });

const entryJson = jsonObject({
    at: plainQuoted(isoTime('l.at')),
    moderator: orNull(person('moderator')),
    act: plainQuoted('l.act'),
    target: jsonObject({ type: plainQuoted('l.type'), id: plainQuoted('l.thing_id'), project_id: orNull(plainQuoted('l.project_id')), owner: person('owner') }),
    reason: orNull(quoted('l.reason'))
});

const list = statement({ parameters: ['bigint', 'integer'], row: { id: 'text', json: 'text' }, place: inAllShards({ kind: 'newest', count: MAX_LISTED + 1 }) }, `
    select l.id::text as id, ${entryJson} as json from moderation_log l where l.id < $1::bigint order by l.id desc limit $2::int + 1`);

/** Entries of the moderation log that are older than the given one, newest first. A page ends at so many or so many bytes. */
export async function listLog(db: Database, before: string, count: number): Promise<BoundedPage> {
    return fittingPage(await run(db, list, [before, count]), count);
}
