import type { Knex } from 'knex';

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
import * as checked from './0070_checked';
import * as withoutOlderReleases from './0071_without_older_releases';
import * as classPictures from './0072_class_pictures';
import * as blocks from './0073_blocks';
import * as follows from './0074_follows';
import * as likes from './0075_likes';
import * as comments from './0076_comments';
import * as notices from './0077_notices';
import * as statements from './0078_statements';
import * as commentEvents from './0080_comment_events';
import * as reports from './0081_reports';
import * as filters from './0082_filters';
import * as scans from './0083_scans';
import * as scansInTurn from './0084_scans_in_turn';
import * as closedLikesAndPictures from './0085_closed_likes_and_pictures';

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

/**
 * The migrations of 0.3, by the names that its databases have for them. That is the oldest schema which is brought up to date: test/support/release-0.3.0.sql.
 * The names stay in the database, so that 0.3 can go on with it once all later ones are taken back. A later release may begin with the schema of 0.4 in this way.
 */
export const releasedNames: readonly string[] = [
    '0001_accounts', '0002_authoring', '0003_discovery', '0004_abuse', '0005_identities', '0006_idempotency', '0007_sizes',
    '0008_account_administration', '0009_history', '0010_visibility', '0010_listed_newest', '0010_listed_of_user', '0010_listed_remixes',
    '0011_community', '0012_moderation', '0013_assets', '0014_lineage', '0015_present_editors', '0016_thumbnails',
    '0017_present_moderators', '0018_asset_uses', '0019_moderators', '0020_asset_sets', '0021_joined_by', '0026_author_words',
    '0029_older_releases', '0030_place_of_assets', '0032_presence', '0033_usernames', '0033_username_keys', '0033_username_unique',
    '0034_about'
];

/** All later ones, in order. Names have no file extension, so that they are the same in a build and in the sources. */
export const migrations: readonly Migration[] = [
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
    { name: '0070_checked', ...checked },
    { name: '0071_without_older_releases', ...withoutOlderReleases },
    { name: '0072_class_pictures', ...classPictures },
    { name: '0073_blocks', ...blocks },
    { name: '0074_follows', ...follows },
    { name: '0075_likes', ...likes },
    { name: '0076_comments', ...comments },
    { name: '0077_notices', ...notices },
    { name: '0078_statements', ...statements },
    { name: '0080_comment_events', ...commentEvents },
    { name: '0081_reports', ...reports },
    { name: '0082_filters', ...filters },
    { name: '0083_scans', ...scans },
    { name: '0084_scans_in_turn', ...scansInTurn },
    { name: '0085_closed_likes_and_pictures', ...closedLikesAndPictures }
];

const notHere = (): Promise<void> => Promise.reject(new Error('Only 0.3 has this migration.'));
const released = releasedNames.map((name): Migration => ({ name, up: notHere, down: notHere }));

/** Knex's view of both. */
export const migrationSource: Knex.MigrationSource<Migration> = {
    getMigrations: () => Promise.resolve([...released, ...migrations]),
    getMigrationName: (migration) => migration.name,
    getMigration: (migration) => Promise.resolve({ up: migration.up, down: migration.down })
};
