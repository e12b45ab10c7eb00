import type { Knex } from 'knex';

import * as accounts from './0001_accounts';
import * as authoring from './0002_authoring';
import * as discovery from './0003_discovery';
import * as abuse from './0004_abuse';
import * as identities from './0005_identities';
import * as idempotency from './0006_idempotency';
import * as sizes from './0007_sizes';
import * as accountAdministration from './0008_account_administration';
import * as history from './0009_history';
import * as listedProjects from './0010_listed_projects';
import * as visibility from './0010_visibility';
import * as community from './0011_community';
import * as moderation from './0012_moderation';
import * as assets from './0013_assets';
import * as lineage from './0014_lineage';
import * as presentEditors from './0015_present_editors';
import * as thumbnails from './0016_thumbnails';
import * as presentModerators from './0017_present_moderators';
import * as assetUses from './0018_asset_uses';
import * as moderators from './0019_moderators';
import * as assetSets from './0020_asset_sets';
import * as joinedBy from './0021_joined_by';
import * as authorWords from './0026_author_words';
import * as olderReleases from './0029_older_releases';
import * as placeOfAssets from './0030_place_of_assets';
import * as presence from './0032_presence';
import * as usernames from './0033_usernames';
import * as about from './0034_about';
import * as filled from './0035_filled';
import * as apps from './0038_apps';
import * as authorization from './0039_authorization';
import * as tokens from './0040_tokens';
import * as passkeys from './0041_passkeys';
import * as providerIdentities from './0042_identities';
import * as classes from './0043_classes';
import * as appInHistory from './0044_app_in_history';
import * as classProjects from './0045_class_projects';
import * as assignments from './0046_assignments';
import * as webhooks from './0047_webhooks';
import * as staff from './0048_staff';
import * as mail from './0049_mail';
import * as placeWebhooks from './0050_place_webhooks';
import * as elementsInPages from './0051_elements_in_pages';
import * as manyProjects from './0052_many_projects';
import * as handInsGrow from './0055_hand_ins_grow';
import * as classOrder from './0056_class_order';
import * as deviceKey from './0057_device_key';
import * as guestReports from './0060_guest_reports';
import * as presentWriters from './0061_present_writers';
import * as webhookLeases from './0070_webhook_leases';

interface Migration {
    readonly name: string;
    /**
     * Does what takes long in short transactions, before `up` does what is left, while anybody reads and writes. It can be ended at any time.
     * @param after where it goes on: what it returned before, 0 at the beginning
     * @param most how much it does
     * @returns null at the end
     */
    fill?(db: Knex, after: string, most: number): Promise<string | null>;
    up(db: Knex): Promise<void>;
    down(db: Knex): Promise<void>;
}

/** All migrations in order. Names have no file extension, so that they are the same in a build and in the sources. */
export const migrations: readonly Migration[] = [
    { name: '0001_accounts', ...accounts },
    { name: '0002_authoring', ...authoring },
    { name: '0003_discovery', ...discovery },
    { name: '0004_abuse', ...abuse },
    { name: '0005_identities', ...identities },
    { name: '0006_idempotency', ...idempotency },
    { name: '0007_sizes', ...sizes },
    { name: '0008_account_administration', ...accountAdministration },
    { name: '0009_history', ...history },
    { name: '0010_visibility', ...visibility },
    { name: '0010_listed_newest', ...listedProjects.newest },
    { name: '0010_listed_of_user', ...listedProjects.ofUser },
    { name: '0010_listed_remixes', ...listedProjects.remixes },
    { name: '0011_community', ...community },
    { name: '0012_moderation', ...moderation },
    { name: '0013_assets', ...assets },
    { name: '0014_lineage', ...lineage },
    { name: '0015_present_editors', ...presentEditors },
    { name: '0016_thumbnails', ...thumbnails },
    { name: '0017_present_moderators', ...presentModerators },
    { name: '0018_asset_uses', ...assetUses },
    { name: '0019_moderators', ...moderators },
    { name: '0020_asset_sets', ...assetSets },
    { name: '0021_joined_by', ...joinedBy },
    { name: '0026_author_words', ...authorWords },
    { name: '0029_older_releases', ...olderReleases },
    { name: '0030_place_of_assets', ...placeOfAssets },
    { name: '0032_presence', ...presence },
    { name: '0033_usernames', ...usernames.names },
    { name: '0033_username_keys', ...usernames.keys },
    { name: '0033_username_unique', ...usernames.uniqueness },
    { name: '0034_about', ...about },
    { name: '0035_filled_beside', ...filled.olderReleases },
    { name: '0036_filled', ...filled.rows },
    { name: '0036_filled_search', ...filled.search },
    { name: '0037_filled_rules', ...filled.rules },
    { name: '0037_filled_checked', ...filled.checked },
    { name: '0038_apps', ...apps },
    { name: '0039_authorization', ...authorization },
    { name: '0040_tokens', ...tokens },
    { name: '0041_passkeys', ...passkeys },
    { name: '0042_identities', ...providerIdentities },
    { name: '0043_classes', ...classes },
    { name: '0044_app_in_history', ...appInHistory },
    { name: '0045_class_projects', ...classProjects },
    { name: '0046_assignments', ...assignments },
    { name: '0047_webhooks', ...webhooks },
    { name: '0048_staff', ...staff },
    { name: '0049_mail', ...mail },
    { name: '0050_place_webhooks', ...placeWebhooks },
    { name: '0051_elements_in_pages', ...elementsInPages },
    { name: '0052_many_projects', ...manyProjects },
    { name: '0055_hand_ins_grow', ...handInsGrow },
    { name: '0056_class_order', ...classOrder },
    { name: '0057_device_key', ...deviceKey },
    { name: '0060_guest_reports', ...guestReports },
    { name: '0061_present_writers', ...presentWriters },
    { name: '0070_webhook_leases', ...webhookLeases }
];

/** Knex's view of the list above. */
export const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: () => Promise.resolve([...migrations]),
    getMigrationName: (migration) => migration.name,
    getMigration: (migration) => Promise.resolve({ up: migration.up, down: migration.down })
};
