import type { OffReason } from '../../api/representations/webhook-events';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

// It watches nothing any more, so projects cost what they cost without it.
const off = statement({ parameters: ['bigint', 'text'] }, `
    with h as (update webhooks set enabled = false, reason = $2, off_at = coalesce(off_at, now()), due_at = null where id = $1 and (enabled or $2::text is null) returning id),
    unwatched as (delete from webhook_watches w using h where w.webhook_id = h.id)
    update webhook_deliveries d set state = 'failed', error = coalesce(d.error, 'The webhook was switched off before this was sent.') from h where d.webhook_id = h.id and d.state = 'waiting'`);

/** Switches a webhook off, with all that waits for it. @param reason null if its owner did it */
export async function switchOff(trx: Database, id: string, reason: OffReason | null): Promise<void> {
    await run(trx, off, [id, reason]);
}
