import type { Database } from '../../database/statements/connection';
import { bool, jsonObject, timeOrNull } from '../../database/statements/json-sql';
import { run, runAlways, statement } from '../../database/statements/statement';
import { noteAct } from './log';
import { act } from './staff';
import type { Acting } from './staff';

const finite = (column: string): string => `nullif(m.${column}, '-infinity')`;

const state = statement({ row: { json: 'text' } }, `
    select ${jsonObject({ done_until: timeOrNull(finite('done_until')), due_at: timeOrNull(finite('due_at')), running: bool('coalesce(m.claimed_until > now(), false)') })} as json
    from (select) one left join maintenance m on m.name = 'hourly'`);

/** The JSON text of how far the maintenance is. */
export const showMaintenance = async (db: Database): Promise<string> => (await runAlways(db, state, [])).json;

const ask = statement({}, `
    insert into maintenance (name, claimed_until, due_at) values ('hourly', '-infinity', now()) on conflict (name) do update set due_at = least(maintenance.due_at, now())`);

/** Makes the maintenance due: an instance begins it within a minute. @returns the JSON text of its state */
export function askForMaintenance(db: Database, acting: Acting): Promise<string> {
    return act(db, acting, null, async (trx) => {
        await run(trx, ask, []);
        await noteAct(trx, acting, { act: 'maintain', type: 'place', id: null });
        return showMaintenance(trx);
    });
}
