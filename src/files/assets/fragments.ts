import { isBlockedPicture } from '../../community/filters/fragments';

/*
 * What the statements of others say of assets (docs/decisions/fragments-of-owners.md).
 */

/** SQL for whether an asset is stored, by its hash. */
export const isStored = (hash: string): string => `exists (select from assets a where a.hash = ${hash})`;

/** SQL that reads the stored ones of these assets, in the rows `a`; an order may follow. */
export const fromAssets = (hashes: string): string => `from assets a where a.hash = any(${hashes})`;

/** SQL for whether a scanner has not let an asset pass, which only its senders see. */
export const isWithheld = (hash: string): string => `exists (select from asset_scans w where w.id = ${hash})`;

/** SQL that reads those of these assets that others than their senders see; an order may follow. */
export const fromShownAssets = (hashes: string): string => `${fromAssets(hashes)} and not ${isBlockedPicture('a.hash')} and not ${isWithheld('a.hash')}`;

/** SQL that reads what a user has sent, in the rows `s`; further conditions may follow. */
export const fromSentAssets = (user: string): string => `from sent_assets s where s.user_id = ${user}`;

/** SQL that reads the id of the database, which no other one has. */
export const selectDatabaseId = 'select id::text as id from asset_owner';
