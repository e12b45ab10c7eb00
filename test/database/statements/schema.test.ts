import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { MAX_APPEAL } from '../../../src/community/statements/json';
import { KEPT_THINGS } from '../../../src/community/notices/limits';
import { MAX_ABOUT, MAX_ANNOUNCEMENT_TEXT, MAX_ASSIGNMENT_TEXT, MAX_ASSIGNMENT_TITLE, MAX_CLASS_TITLE, MAX_CODE_NOTE, MAX_ELEMENTS, MAX_NOTE, MAX_OBJECT_BYTES, MAX_PAGES, MAX_PAGE_BYTES, MAX_PROJECT_BYTES, MAX_PUPIL_NAME, MAX_REDIRECT_URIS, MAX_TOKEN_PROJECTS, MAX_USERNAME, MAX_WEBHOOK_BYTES, MAX_WEBHOOK_PROJECTS } from '../../../src/limits';
import { hasAnswer } from '../../../src/api/errors/database';
import { LONGEST_ADDRESS } from '../../../src/config/mail-address';
import { waiting } from '../../support/authoring';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { until } from '../../support/host';
import { notOnCluster } from '../../support/on-cluster';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const json = (bytes: number): string => `('{"a":"' || repeat('x', ${bytes - 8}) || '"}')::json`;

/** SQL for a class that the user attends. */
const inClass = `with c as (insert into classes (title, publish, comments, code) values ('x', 'class', true, 'k7pm3xwrd9tz') returning id) insert into class_people (class_id, user_id, role) select id, 1, 'pupil' from c;`;

/** SQL that states a decision, with these columns beside. */
const stated = (columns = 'until', values = 'null', changed: Readonly<Record<string, string>> = {}): string => {
    const all = { decision: 'hold', type: 'project', rule: 'spam', reason: 'x', facts: 'own', ...changed };
    return `insert into statements (project_id, user_id, thing_id, ${Object.keys(all).join(', ')}, ${columns}) values (1, 1, 1, '${Object.values(all).join(`', '`)}', ${values})`;
};

/** SQL that our code never sends, and the constraint that rejects it. */
const wrong: Record<string, string[]> = {
    users_username_shape: ['', 'x'.repeat(MAX_USERNAME + 1), '𠮷'.repeat(MAX_USERNAME + 1)].map((name) => `insert into users (username, username_key) values ('${name}', 'x')`),
    users_username_key_key: ['ada', 'ADA', 'Ада'].map((name) => `insert into users (username, username_key) values ('${name}', 'ada')`),
    users_language_length: ['x', 'x'.repeat(21)].map((language) => `insert into users (username, language) values ('eve', '${language}')`),
    users_about_length: [`update users set about = repeat('\u{1F3A8}', ${MAX_ABOUT + 1})`],
    users_revision_positive: [`update users set revision = 0`],
    users_issuer_length: [`''`, `repeat('x', 513)`].map((issuer) => `insert into users (username, issuer, subject) values ('eve', ${issuer}, 'x')`),
    users_subject_shape: [`''`, `repeat('x', 256)`, `'\u00e4'`, `E'a\\n'`].map((subject) => `insert into users (username, issuer, subject) values ('eve', 'https://a', ${subject})`),
    users_identity_whole: [`'https://a', null`, `null, 'x'`].map((identity) => `insert into users (username, issuer, subject) values ('eve', ${identity})`),
    users_identity_without_password: [`insert into users (username, issuer, subject, password_hash) values ('eve', 'https://a', 'x', 'y')`],
    users_identity_key: [`insert into users (username, issuer, subject) values ('eve', 'https://a', 'x'), ('eva', 'https://a', 'x')`],
    tokens_user_id_fkey: [`insert into tokens (user_id, hash, scope, expires_at) values (99, sha256('x'), '{user}', now())`],
    tokens_hash_length: [`insert into tokens (user_id, hash, scope, expires_at) values (1, 'x', '{user}', now())`],
    tokens_hash_key: [`insert into tokens (user_id, hash, scope, expires_at) select 1, sha256('x'), '{user}', now() from generate_series(1, 2)`],
    tokens_scope_known: [`'{}'`, `'{admin}'`, `'{user,admin}'`].map((scope) => `insert into tokens (user_id, hash, scope, expires_at) values (1, sha256('x'), ${scope}, now())`),
    passkeys_user_id_fkey: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (99, 'a', 'k', 0, '{}', 'x')`],
    passkeys_credential_key: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) select 1, 'a', 'k', 0, '{}', 'x' from generate_series(1, 2)`],
    passkeys_credential_length: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (1, '', 'k', 0, '{}', 'x')`],
    passkeys_public_key_length: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (1, 'a', '', 0, '{}', 'x')`],
    passkeys_counter_range: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (1, 'a', 'k', -1, '{}', 'x')`],
    passkeys_label_length: [`insert into passkeys (user_id, credential, public_key, counter, transports, label) values (1, 'a', 'k', 0, '{}', '')`],
    identities_user_id_fkey: [`insert into identities (user_id, issuer, subject, name) values (99, 'a', 'b', '')`],
    identities_issuer_length: [`insert into identities (user_id, issuer, subject, name) values (1, '', 'b', '')`],
    identities_subject_shape: [`insert into identities (user_id, issuer, subject, name) values (1, 'a', '', '')`],
    identities_name_length: [`insert into identities (user_id, issuer, subject, name) values (1, 'a', 'b', repeat('x', 257))`],
    identities_subject_key: [`insert into identities (user_id, issuer, subject, name) select 1, 'a', 'b', '' from generate_series(1, 2)`],
    sign_ins_hash_length: [`insert into sign_ins (hash, provider, expires_at) values ('a', 'b', now())`],
    sign_ins_user_id_fkey: [`insert into sign_ins (hash, provider, user_id, expires_at) values (sha256('a'), 'b', 99, now())`],
    tokens_identity_id_fkey: [`insert into tokens (user_id, hash, scope, expires_at, identity_id) values (1, sha256('a'), array['user'], now(), 99)`],
    passkey_challenges_user_id_fkey: [`insert into passkey_challenges (challenge, user_id, expires_at) values ('a', 99, now())`],
    recovery_codes_user_id_fkey: [`insert into recovery_codes values (99, sha256('x'))`],
    recovery_codes_hash_length: [`insert into recovery_codes values (1, 'x')`],
    tokens_passkey_id_fkey: [`insert into tokens (user_id, hash, scope, passkey_id, expires_at) values (1, sha256('x'), '{user}', 99, now())`],
    tokens_origin_known: [`insert into tokens (user_id, hash, scope, origin, expires_at) values (1, sha256('x'), '{user}', 'gift', now())`],
    tokens_projects_count: [`'{}'`, `array(select generate_series(1, ${MAX_TOKEN_PROJECTS + 1}))`].map((projects) => `insert into tokens (user_id, hash, scope, projects, expires_at) values (1, sha256('x'), '{user}', ${projects}, now())`),
    tokens_label_length: [`insert into tokens (user_id, hash, scope, label, expires_at) values (1, sha256('x'), '{user}', '', now())`],
    tokens_app_id_fkey: [`insert into tokens (user_id, hash, scope, app_id, expires_at) values (1, sha256('x'), '{user}', 99, now())`],
    tokens_authorization_id_fkey: [`insert into tokens (user_id, hash, scope, authorization_id, expires_at) values (1, sha256('x'), '{user}', 'x', now())`],
    authorizations_user_id_fkey: [`insert into authorizations (id, user_id, app_id, scope, payload, expires_at) select 'x', 99, id, '{}', '', now() from made`].map((insert) => `with made as (insert into apps (name, url, redirect_uris) values ('x', 'https://a', '{https://a}') returning id) ${insert}`),
    authorizations_app_id_fkey: [`insert into authorizations (id, user_id, app_id, scope, payload, expires_at) values ('x', 1, 99, '{}', '', now())`],
    authorization_states_hash_length: [`insert into authorization_states (hash, kind, payload, expires_at) values ('x', 'x', '', now())`],
    authorization_states_authorization_id_fkey: [`insert into authorization_states (hash, kind, authorization_id, payload, expires_at) values (sha256('x'), 'x', 'x', '', now())`],
    authorization_states_app_id_fkey: [`insert into authorization_states (hash, kind, app_id, payload, expires_at) values (sha256('x'), 'x', 99, '', now())`],
    authorization_states_user_code_hash_key: [`insert into authorization_states (hash, kind, user_code_hash, payload, expires_at) select sha256(n::text::bytea), 'x', 'y', '', now() from generate_series(1, 2) n`],
    apps_user_id_fkey: [`insert into apps (user_id, name, url, redirect_uris) values (99, 'x', 'https://a', '{https://a}')`],
    apps_name_length: [`''`, `repeat('\u{1F3A8}', 81)`].map((name) => `insert into apps (name, url, redirect_uris) values (${name}, 'https://a', '{https://a}')`),
    apps_url_length: [`''`, `repeat('x', 513)`].map((url) => `insert into apps (name, url, redirect_uris) values ('x', ${url}, '{https://a}')`),
    apps_redirect_uris_count: [`'{}'`, `array_fill('https://a'::text, array[${MAX_REDIRECT_URIS + 1}])`].map((uris) => `insert into apps (name, url, redirect_uris) values ('x', 'https://a', ${uris})`),
    apps_secret_hash_length: [`insert into apps (name, url, redirect_uris, secret_hash) values ('x', 'https://a', '{https://a}', 'x')`],
    projects_counted: ['update projects set counted_revision = 5'],
    projects_recorded: ['update projects set change_revision = null'],
    pages_recorded: ['update pages set created_revision = null', 'update pages set project_revision = null'],
    elements_recorded: ['update elements set created_revision = null', 'update elements set project_revision = null'],
    projects_user_id_fkey: [`insert into projects (user_id, version, title) values (99, '1', 'x')`],
    projects_title_length: [`update projects set title = ''`, `update projects set title = repeat('\u{1F3A8}', 257)`],
    projects_description_length: [`update projects set description = repeat('\u{1F3A8}', 1001)`],
    projects_thumbnail_object: [`update projects set thumbnail = '[]'`, `update projects set thumbnail = 'null'`],
    projects_page_limit: [`update projects set page_count = ${MAX_PAGES + 1}`, `update projects set page_count = -1`],
    projects_revision_positive: [`update projects set revision = 0, counted_revision = 0`],
    pages_size_limit: [`update pages set page_bytes = ${MAX_PAGE_BYTES + 1}, revision = revision + 1`],
    pages_size_limit_new: [`insert into pages (project_id, x, y, page_bytes) values (1, 5, 5, ${MAX_PAGE_BYTES + 1})`],
    projects_size_limit: [`update projects set project_bytes = ${MAX_PROJECT_BYTES + 1}, revision = revision + 1, counted_revision = counted_revision + 1`],
    projects_size_limit_new: [`insert into projects (user_id, version, title, project_bytes) values (1, '1', 'x', ${MAX_PROJECT_BYTES + 1})`],
    pages_project_id_fkey: ['insert into pages (project_id, x, y) values (99, 0, 0)'],
    pages_coordinates_key: ['insert into pages (project_id, x, y) values (1, 0, 0)', 'update pages set x = 0, y = 0'],
    pages_styles_object: [`update pages set styles = '[]'`, `update pages set styles = '"x"'`],
    pages_styles_size: [`update pages set styles = ${json(MAX_OBJECT_BYTES + 1)}`],
    pages_element_limit: [`update pages set element_count = ${MAX_ELEMENTS + 1}`, 'update pages set element_count = -1'],
    pages_revision_positive: ['update pages set revision = 0'],
    elements_page_id_fkey: [`insert into elements (page_id, type) values (99, 'x')`, `insert into elements (page_id, type) values (1, 'x'), (99, 'x'), (2, 'x')`, 'update elements set page_id = 99'],
    elements_type_length: [`update elements set type = ''`, `update elements set type = repeat('\u{1F3A8}', 65)`],
    elements_attributes_object: [`update elements set attributes = '1'`],
    elements_attributes_size: [`update elements set attributes = ${json(MAX_OBJECT_BYTES + 129)}`],
    elements_styles_object: [`update elements set styles = 'true'`],
    elements_styles_size: [`update elements set styles = ${json(MAX_OBJECT_BYTES + 1)}`],
    elements_revision_positive: ['update elements set revision = 0'],
    featured_projects_project_id_fkey: [`insert into featured_projects (project_id, user_id, language, created_at) values (99, 1, 'en', now())`],
    featured_tags_projects: [`insert into featured_tags (tag, projects) values ('x', -1)`],
    device_key_length: [`insert into device_key (key) values ('short')`],
    idempotency_keys_id_length: [`insert into idempotency_keys (id, answer) values ('short', '')`],
    idempotency_keys_user_id_fkey: [`insert into idempotency_keys (id, user_id, answer) values (sha256('x'), 99, '')`],
    project_tags_project_id_fkey: [`insert into project_tags (tag, project_id, created_at) values ('x', 99, now())`],
    project_stats_project_id_fkey: ['insert into project_stats (project_id) values (99)'],
    project_stats_pkey: ['insert into project_stats (project_id) select 1 from generate_series(1, 2)'],
    project_changes_forward: [`insert into project_changes (project_id, revision, from_revision, at, kind, counts) values (1, 90, 90, now(), 'edit', '{}')`],
    project_changes_label_length: ['', 'x'.repeat(101)].map((label) => `insert into project_changes (project_id, revision, from_revision, at, kind, counts, label) values (1, 90, 89, now(), 'edit', '{}', '${label}')`),
    project_members_project_id_fkey: [`insert into project_members (project_id, user_id, role) values (99, 1, 'viewer')`],
    project_members_user_id_fkey: [`insert into project_members (project_id, user_id, role) values (1, 99, 'viewer')`],
    project_members_role: [`insert into project_members (project_id, user_id, role) values (1, 1, 'owner')`],
    project_invitations_project_id_fkey: [`insert into project_invitations (project_id, role, hash, uses_left, expires_at) values (99, 'viewer', sha256('x'), 1, now())`],
    project_invitations_role: [`insert into project_invitations (project_id, role, hash, uses_left, expires_at) values (1, 'owner', sha256('x'), 1, now())`],
    project_invitations_hash_key: [`insert into project_invitations (project_id, role, hash, uses_left, expires_at) select 1, 'viewer', sha256('x'), 1, now() from generate_series(1, 2)`],
    project_invitations_hash_length: [`insert into project_invitations (project_id, role, hash, uses_left, expires_at) values (1, 'viewer', 'short', 1, now())`],
    project_invitations_uses: [`insert into project_invitations (project_id, role, hash, uses_left, expires_at) values (1, 'viewer', sha256('x'), -1, now())`],
    classes_title_length: ['', 'x'.repeat(MAX_CLASS_TITLE + 1)].map((title) => `insert into classes (title, publish, comments, code) values ('${title}', 'class', true, 'k7pm3xwrd9tz')`),
    classes_publish_known: [`insert into classes (title, publish, comments, code) values ('x', 'friends', true, 'k7pm3xwrd9tz')`],
    classes_code_length: [`insert into classes (title, publish, comments, code) values ('x', 'class', true, 'short')`],
    classes_code_key: [`insert into classes (title, publish, comments, code) select 'x', 'class', true, 'k7pm3xwrd9tz' from generate_series(1, 2)`],
    classes_revision_positive: [`insert into classes (title, publish, comments, code, revision) values ('x', 'class', true, 'k7pm3xwrd9tz', 0)`],
    class_people_class_id_fkey: [`insert into class_people (class_id, user_id, role) values (99, 1, 'pupil')`],
    class_people_user_id_fkey: [`with c as (insert into classes (title, publish, comments, code) values ('x', 'class', true, 'k7pm3xwrd9tz') returning id) insert into class_people (class_id, user_id, role) select id, 99, 'pupil' from c`],
    class_people_role_known: [`insert into class_people (class_id, user_id, role) values (99, 1, 'guest')`],
    class_people_name_length: ['', 'x'.repeat(MAX_PUPIL_NAME + 1)].map((name) => `insert into class_people (class_id, user_id, role, name) values (99, 1, 'pupil', '${name}')`),
    class_devices_class_id_fkey: [`insert into class_devices (class_id, hash) values (99, sha256('x'))`],
    class_devices_hash_key: [`${inClass} insert into class_devices (class_id, hash) select class_id, sha256('x') from class_people, generate_series(1, 2)`],
    class_devices_hash_length: [`insert into class_devices (class_id, hash) values (99, 'x')`],
    class_devices_label_length: ['', 'x'.repeat(101)].map((label) => `insert into class_devices (class_id, hash, label) values (99, sha256('x'), '${label}')`),
    class_pictures_pupil_fkey: [`${inClass} insert into class_pictures (class_id, user_id, hash) select class_id, 99, 'x' from class_people`],
    tokens_class_device_id_fkey: [`insert into tokens (user_id, hash, scope, class_device_id, expires_at) values (1, sha256('x'), '{user}', 99, now())`],
    class_hidden_projects_reason_length: ['', 'x'.repeat(501)].map((reason) => `insert into class_hidden_projects (class_id, project_id, reason) values (99, 1, '${reason}')`),
    class_projects_reason_there: [`${inClass} insert into class_projects (class_id, project_id, audience, state) select class_id, 1, 'class', 'hidden' from class_people`],
    class_projects_state_known: [`${inClass} insert into class_projects (class_id, project_id, audience, state) select class_id, 1, 'class', 'lost' from class_people`],
    classes_show_known: [`insert into classes (title, publish, comments, code, show) values ('x', 'class', true, 'k7pm3xwrd9tz', 'never')`],
    class_projects_audience_known: [`${inClass} insert into class_projects (class_id, project_id, audience) select class_id, 1, 'everybody' from class_people`],
    assignments_class_id_fkey: [`insert into assignments (class_id, title, text) values (99, 'x', '')`],
    assignments_title_length: ['', 'x'.repeat(MAX_ASSIGNMENT_TITLE + 1)].map((title) => `insert into assignments (class_id, title, text) values (99, '${title}', '')`),
    assignments_text_length: [`insert into assignments (class_id, title, text) values (99, 'x', repeat('x', ${MAX_ASSIGNMENT_TEXT + 1}))`],
    assignments_revision_positive: [`insert into assignments (class_id, title, text, revision) values (99, 'x', '', 0)`],
    works_assignment_id_fkey: [`insert into works (assignment_id, user_id, state) values (99, 1, 'started')`],
    works_user_id_fkey: [`${inClass} with a as (insert into assignments (class_id, title, text) select class_id, 'x', '' from class_people returning id) insert into works (assignment_id, user_id, state) select id, 99, 'started' from a`],
    works_pupil_key: [`${inClass} with a as (insert into assignments (class_id, title, text) select class_id, 'x', '' from class_people returning id) insert into works (assignment_id, user_id, state) select id, 1, 'started' from a, generate_series(1, 2)`],
    works_state_known: [`insert into works (assignment_id, user_id, state) values (99, 1, 'lost')`],
    works_note_length: [`insert into works (assignment_id, user_id, state, note) values (99, 1, 'started', repeat('x', ${MAX_NOTE + 1}))`],
    works_revision_positive: [`insert into works (assignment_id, user_id, state, revision) values (99, 1, 'started', 0)`],    ...Object.fromEntries(Object.entries({
        webhooks_user_id_fkey: { user_id: '99' }, webhooks_url_length: { url: `repeat('x', 513)` }, webhooks_events_known: { events: `array['project.read']` }, webhooks_projects_count: { projects: `array_fill(1, array[${MAX_WEBHOOK_PROJECTS + 1}])` },
        webhooks_secret_length: { secret: `'short'` }, webhooks_previous_secret_length: { previous_secret: `'short'` }, webhooks_reason_known: { reason: `'tired'` }
    }).map(([name, fields]) => {
        const row = Object.entries({ user_id: '1', url: `'https://x'`, events: `array['project.held']`, secret: `sha256('x')`, ...fields });
        return [name, [`insert into webhooks (${row.map(([column]) => column).join(', ')}) values (${row.map(([, value]) => value).join(', ')})`]];
    })),
    mail_addresses_user_id_fkey: ['insert into mail_addresses (user_id) values (99)'],
    mail_addresses_address_length: [`''`, `repeat('x', ${LONGEST_ADDRESS + 1})`].map((address) => `insert into mail_addresses (user_id, address) values (1, ${address})`),
    mail_addresses_pending_length: [`''`, `repeat('x', ${LONGEST_ADDRESS + 1})`].map((address) => `insert into mail_addresses (user_id, pending) values (1, ${address})`),
    mail_links_hash_length: [`insert into mail_links (hash, user_id, purpose, address, password, expires_at) values ('x', 1, 'confirm', 'a', 'b', now())`],
    mail_links_user_id_fkey: [`insert into mail_links (hash, user_id, purpose, address, password, expires_at) values (sha256('x'), 99, 'confirm', 'a', 'b', now())`],
    mail_links_purpose_known: [`insert into mail_links (hash, user_id, purpose, address, password, expires_at) values (sha256('x'), 1, 'sign_in', 'a', 'b', now())`],
    mails_kind_known: [`insert into mails (kind, user_id, address, mailbox) values ('news', 1, 'a', 'b')`],
    mails_user_id_fkey: [`insert into mails (kind, user_id, address, mailbox) values ('confirm', 99, 'a', 'b')`],
    mails_state_known: [`insert into mails (kind, user_id, address, mailbox, state) values ('confirm', 1, 'a', 'b', 'lost')`],
    notice_events_kind_known: [`insert into notice_events (project_id, user_id, kind) values (0, 1, 'news')`],
    ...Object.fromEntries(Object.entries({
        notices_user_id_fkey: { user_id: '99' }, notices_kind_known: { kind: `'news'` }, notices_count_positive: { count: '0' },
        notices_things_each: { things: `array_fill(0, array[${KEPT_THINGS + 1}])`, by_ids: `array_fill(0, array[${KEPT_THINGS + 1}])` }
    }).map(([name, own]) => {
        const row = Object.entries({ user_id: '1', kind: `'follow'`, project_id: '0', by_ids: `'{0}'`, things: `'{0}'`, count: '1', at: 'now()', first_at: 'now()', ...own });
        return [name, [`insert into notices (${row.map(([column]) => column).join(', ')}) values (${row.map(([, value]) => value).join(', ')})`]];
    })),
    notice_readers_user_id_fkey: ['insert into notice_readers (user_id) values (99)'],
    notice_letters_user_id_fkey: [`insert into notice_letters (user_id, daily, key) values (99, true, sha256('x'))`],
    notice_letters_user_id_key: [`insert into notice_letters (user_id, daily, key) select 1, true, sha256(n::text::bytea) from generate_series(1, 2) n`],
    notice_letters_key_key: [`insert into users (username, username_key) values ('eve', 'eve'); insert into notice_letters (user_id, daily, key) select id, true, sha256('x') from users`],
    notice_letters_key_length: [`insert into notice_letters (user_id, daily, key) values (1, true, 'short')`],
    webhook_watches_webhook_id_fkey: ['insert into webhook_watches (watched, webhook_id) values (1, 99)'],
    webhook_deliveries_webhook_id_fkey: [`insert into webhook_deliveries (webhook_id, event, at, data) values (99, 'webhook.test', now(), '{}')`],
    webhook_deliveries_data_size: [`insert into webhook_deliveries (webhook_id, event, at, data) values (99, 'webhook.test', now(), repeat('x', ${MAX_WEBHOOK_BYTES + 1}))`],
    webhook_deliveries_state_known: [`insert into webhook_deliveries (webhook_id, event, at, data, state) values (99, 'webhook.test', now(), '{}', 'lost')`],
    webhook_deliveries_error_length: [`insert into webhook_deliveries (webhook_id, event, at, data, error) values (99, 'webhook.test', now(), '{}', repeat('x', 201))`],
    users_publish_known: [`update users set publish = 'friends'`],
    users_managed_by_fkey: ['update users set managed_by = 99'],
    publish_bound: ['public', 'unlisted'].flatMap((visibility) => ['nobody', 'class'].flatMap((publish) => [
        `update users set publish = '${publish}'; insert into projects (user_id, version, title, visibility) values (1, '1', 'x', '${visibility}')`,
        `update users set publish = '${publish}'; update projects set visibility = 'private'; update projects set visibility = '${visibility}'`,
        `update users set publish = '${publish}'; insert into collections (user_id, title, description, visibility) values (1, 'x', '', '${visibility}')`
    ])).concat(`${inClass} update users set publish = 'nobody'; insert into class_projects (class_id, project_id, audience) select class_id, 1, 'class' from class_people`,
        `${inClass} update users set publish = 'nobody'; insert into class_projects (class_id, project_id, audience) select class_id, 1, 'teachers' from class_people; update class_projects set audience = 'class'`),
    audience_bound: [`insert into class_projects (class_id, project_id, audience) values (1, 1, 'class')`, `${inClass} insert into class_projects (class_id, project_id, audience) select class_id, 99, 'teachers' from class_people`],
    members_bound: [
        `insert into users (username) values ('Ben'); update users set publish = 'nobody' where id = 1; insert into project_members (project_id, user_id, role) values (1, (select id from users where username = 'Ben'), 'viewer')`,
        `insert into users (username, publish) values ('Ben', 'everybody'); insert into project_members (project_id, user_id, role) values (1, (select id from users where username = 'Ben'), 'viewer')`
    ],
    blocks_user_id_fkey: ['insert into blocks (user_id, blocked_id) values (99, 1)'],
    blocks_blocked_id_fkey: ['insert into blocks (user_id, blocked_id) values (1, 99)'],
    blocks_others: ['insert into blocks (user_id, blocked_id) values (1, 1)'],
    follows_user_id_fkey: ['insert into follows (user_id, followed_id) values (99, 1)'],
    follows_followed_id_fkey: ['insert into follows (user_id, followed_id) values (1, 99)'],
    follows_others: ['insert into follows (user_id, followed_id) values (1, 1)'],
    collections_user_id_fkey: [`insert into collections (user_id, title, description, visibility) values (99, 'x', '', 'public')`],
    collections_title_length: [`insert into collections (user_id, title, description, visibility) values (1, '', '', 'public')`, `insert into collections (user_id, title, description, visibility) values (1, repeat('x', 257), '', 'public')`],
    comment_settings_who_known: [`insert into comment_settings (project_id, who) values (1, 'friends')`],
    comments_in_thread: [`insert into comments (project_id, text, thread_id) values (1, 'x', 1)`, `insert into comments (project_id, text, reply_to) values (1, 'x', 1)`],
    comments_mentions_count: [`insert into comments (project_id, text, mentions) select 1, 'x', array_agg(n) from generate_series(1, 11) n`],
    comments_removed_by_known: [`insert into comments (project_id, text, removed_by) values (1, 'x', 'nobody')`],
    comments_text_length: [`insert into comments (project_id, text) values (1, '')`, `insert into comments (project_id, text) values (1, repeat('x', 2001))`],
    collections_description_length: [`insert into collections (user_id, title, description, visibility) values (1, 'x', repeat('x', 1001), 'public')`],
    collections_visibility: [`insert into collections (user_id, title, description, visibility) values (1, 'x', '', 'secret')`],
    collection_projects_collection_id_fkey: ['insert into collection_projects (collection_id, project_id, place) values (99, 1, 1)'],
    collection_projects_project_id_fkey: [`with c as (insert into collections (user_id, title, description, visibility) values (1, 'x', '', 'public') returning id) insert into collection_projects (collection_id, project_id, place) select id, 99, 1 from c`],
    trash_thing_key: [`insert into trash (user_id, project_id, type, thing_id, deleted_at, moderated) select 1, 1, 'page', 77, now(), false from generate_series(1, 2)`],
    trash_user_id_fkey: [`insert into trash (user_id, project_id, type, thing_id, deleted_at, moderated) values (999, 1, 'page', 78, now(), false)`],
    users_suspension_whole: [`suspended_until = now()`, `suspension_reason = 'x'`, `suspended_until = now(), suspension_reason = ''`, `suspended_until = now(), suspension_reason = repeat('x', 1001)`].map((set) => `update users set ${set}`),
    reports_project_id_fkey: [`insert into reports (project_id, user_id, reason, text, round) values (99, 1, 'spam', '', 0)`],
    reports_user_id_fkey: [`insert into reports (project_id, user_id, reason, text, round) values (1, 99, 'spam', '', 0)`],
    reports_reason_known: [`insert into reports (project_id, user_id, reason, text, round) values (1, 1, 'dull', '', 0)`],
    reports_text_length: [`insert into reports (project_id, user_id, reason, text, round) values (1, 1, 'spam', repeat('\u{1F3A8}', 1001), 0)`],
    guest_reports_project_id_fkey: [`insert into guest_reports (project_id, viewer, reason, text, round) values (99, 'x', 'spam', '', 0)`],
    guest_reports_reason_known: [`insert into guest_reports (project_id, viewer, reason, text, round) values (1, 'x', 'dull', '', 0)`],
    guest_reports_text_length: [`insert into guest_reports (project_id, viewer, reason, text, round) values (1, 'x', 'spam', repeat('\u{1F3A8}', 1001), 0)`],
    report_queue_outcomes_known: [`insert into report_queue (project_id, outcomes) values (1, '{suspended}')`],
    thing_reports_type_known: [`insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round) values (1, 'page', 1, 1, 'spam', '', 0)`],
    thing_reports_reason_known: [`insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round) values (1, 'comment', 1, 1, 'dull', '', 0)`],
    thing_reports_text_length: [`insert into thing_reports (project_id, type, thing_id, user_id, reason, text, round) values (1, 'comment', 1, 1, 'spam', repeat('\u{1F3A8}', 1001), 0)`],
    thing_report_queue_type_known: [`insert into thing_report_queue (project_id, type, thing_id) values (1, 'page', 1)`],
    thing_report_queue_outcomes_known: [`insert into thing_report_queue (project_id, type, thing_id, outcomes) values (1, 'comment', 1, '{open}')`],
    report_queue_project_id_fkey: ['insert into report_queue (project_id) values (99)'],
    admin_log_name_length: [`insert into admin_log (act, type, name) values ('announce', 'announcement', repeat('x', ${MAX_ANNOUNCEMENT_TEXT + 1}))`],
    admin_log_detail_length: [`insert into admin_log (act, type, detail) values ('suspend', 'user', repeat('x', 1001))`],
    announcements_text_length: [`''`, `repeat('\u{1F3A8}', ${MAX_ANNOUNCEMENT_TEXT + 1})`].map((text) => `insert into announcements (text, level, until) values (${text}, 'info', now())`),
    announcements_level_known: [`insert into announcements (text, level, until) values ('x', 'loud', now())`],
    moderation_log_reason_length: ['', 'x'.repeat(1001)].map((reason) => `select log_act(1, 'hold', 'project', 1, 1, 1, '${reason}')`),
    blocked_pictures_hash: [`insert into blocked_pictures (hash, reason) values ('${'A'.repeat(64)}', 'x')`],
    blocked_pictures_reason_length: [`''`, `repeat('x', 1001)`].map((reason) => `insert into blocked_pictures (hash, reason) values ('${'a'.repeat(64)}', ${reason})`),
    asset_scans_id_fkey: [`insert into asset_scans (id) values ('${'a'.repeat(64)}')`],
    asset_scans_refused_length: [`''`, `repeat('x', 901)`].map((why) => `insert into assets (hash, type, size) values ('${'a'.repeat(64)}', 'image/png', 1); insert into asset_scans (id, refused) values ('${'a'.repeat(64)}', ${why})`),
    assets_hash: [`insert into assets (hash, type, size) values ('${'A'.repeat(64)}', 'image/png', 1)`],
    assets_size: [`insert into assets (hash, type, size) values ('${'a'.repeat(64)}', 'image/png', 0)`],
    sent_assets_hash_fkey: [`insert into sent_assets (user_id, hash, size) values (1, '${'a'.repeat(64)}', 1)`],
    sent_assets_user_id_fkey: [`insert into assets (hash, type, size) values ('${'a'.repeat(64)}', 'image/png', 1); insert into sent_assets (user_id, hash, size) values (999, '${'a'.repeat(64)}', 1)`],
    statements_decision_known: [stated('until', 'null', { decision: 'x' })],
    statements_type_known: [stated('until', 'null', { type: 'x' })],
    statements_rule_known: [stated('until', 'null', { rule: 'x' })],
    statements_reason_length: ['', 'x'.repeat(1001)].map((reason) => stated('until', 'null', { reason })),
    statements_facts_known: [stated('until', 'null', { facts: 'x' })],
    statements_appeal_length: [`''`, `repeat('\u{1F3A8}', ${MAX_APPEAL + 1})`].map((text) => stated('appealed_at, appeal', `now(), ${text}`)),
    statements_outcome_known: [stated('appealed_at, appeal, decided_at, outcome', `now(), 'x', now(), 'x'`)],
    statements_outcome_reason_length: [`''`, `repeat('\u{1F3A8}', 1001)`].map((text) => stated('outcome_reason', text)),
    statements_appealed: [stated('appeal', `'x'`), stated('appealed_at', 'now()')],
    statements_decided: [stated('appeal, appealed_at, outcome', `'x', now(), 'upheld'`), stated('outcome, decided_at', `'upheld', now()`)],
    statements_picture_named: [stated('until', 'null', { type: 'picture' }), stated('picture', `'x'`)],
    statements_own_decision: [`${stated()}; select end_statements(1, 'hold', 'project', 1, 1)`],
    moderation_counts_kind_known: [`insert into moderation_counts (project_id, kind, act) values (1, 'x', 'hold')`],
    moderation_counts_act_known: [`insert into moderation_counts (project_id, kind, act) values (1, 'user', 'x')`],
    project_stats_counts: ['insert into project_stats (project_id, views) values (1, -1)', 'insert into project_stats (project_id, remixes) values (1, -1)'],
    sign_up_codes_hash_length: [`insert into sign_up_codes (hash, uses_left, expires_at) values ('short', 1, now())`],
    sign_up_codes_note_length: [`''`, `repeat('x', ${MAX_CODE_NOTE + 1})`].map((note) => `insert into sign_up_codes (hash, uses_left, expires_at, note) values (sha256('x'), 1, now(), ${note})`),
    sign_up_codes_uses: [`insert into sign_up_codes (hash, uses_left, expires_at) values (sha256('x'), -1, now())`],
    view_salts_length: [`insert into view_salts (day, salt) values (now(), 'short')`],
    project_views_project_id_fkey: [`insert into project_views (day, project_id, viewer) values (now(), 99, sha256('x'))`],
    project_views_viewer_length: [`insert into project_views (day, project_id, viewer) values (now(), 1, '127.0.0.1')`],
    project_views_pkey: [`insert into project_views (day, project_id, viewer) select now(), 1, sha256('x') from generate_series(1, 2)`]
};

const right = [
    `insert into users (username, language) values ('Eve-2_', 'ca.valencia')`,
    // One subject at two issuers, and one that differs in case, are three users.
    `insert into users (username, issuer, subject) values ('a', 'https://a', 'x'), ('b', 'https://b', 'x'), ('c', 'https://a', 'X')`,
    `update projects set title = repeat('\u{1F3A8}', 256), description = repeat('\u{1F3A8}', 1000), page_count = ${MAX_PAGES}`,
    `update pages set element_count = ${MAX_ELEMENTS}, styles = ${json(MAX_OBJECT_BYTES)}`, `update elements set type = repeat('\u{1F3A8}', 64), attributes = ${json(MAX_OBJECT_BYTES)}, styles = ${json(MAX_OBJECT_BYTES)}`,
    // The place of a deleted page is free, and pages can swap places in one statement.
    'update pages set deleted_at = now() where x = 0; insert into pages (project_id, x, y) values (1, 0, 0)', 'update pages set x = 1 - x',
    // Counting keeps the revision, and rows above the limit may change and shrink.
    `update projects set project_bytes = ${MAX_PROJECT_BYTES}, revision = 4, counted_revision = 4, change_counts = '{0,0,0,0,0,0,0}'; update projects set project_bytes = ${MAX_PROJECT_BYTES + 2}; update projects set project_bytes = ${MAX_PROJECT_BYTES + 1}, revision = 5, counted_revision = 5; update projects set revision = 6, counted_revision = 6`,
    `update pages set page_bytes = ${MAX_PAGE_BYTES}, revision = 4; update pages set page_bytes = ${MAX_PAGE_BYTES + 2}; update pages set page_bytes = ${MAX_PAGE_BYTES + 1}, revision = 2; update pages set revision = 3`,
    'update pages set x = 2147483647, y = -2147483648 where x = 0', 'update elements set page_id = 2', 'delete from users'
];

describe('the schema', notOnCluster('its tables are in shards, and its SQL is not of one project'), () => {
    let database: TestDatabase;

    const fill = (): Promise<unknown> => database.db.raw(`
        truncate users, elements, featured_tags, project_changes restart identity cascade;
        insert into users (username) values ('Ada');
        insert into projects (user_id, version, title, tags, featured) values (1, '1', 'x', '{a,b}', true);
        insert into pages (project_id, x, y) values (1, 0, 0), (1, 1, 0);
        insert into elements (page_id, type) values (1, 'x')`);

    /** Runs SQL with all that its end checks, and takes it back: to empty the tables takes a hundred times as long. */
    const tried = async (sql: string): Promise<{ constraint?: string; message: string }> => {
        const trx = await database.db.transaction();
        try {
            await trx.raw(sql.replaceAll('?', '\\?'));
            await trx.raw('set constraints all immediate');
            return { message: `accepted: ${sql.slice(0, 200)}` };
        }
        catch (error) {
            return Object(error);
        }
        finally {
            await trx.rollback();
        }
    };

    before(async () => {
        database = await cloneDatabase();
        await fill();
    });

    after(() => database.drop());

    for (const [constraint, statements] of Object.entries(wrong)) {
        it(`rejects with ${constraint}, whatever the code does`, async () => {
            for (const sql of statements) {
                const { constraint: found, message } = await tried(sql);
                expect(found, message).to.equal(constraint);
            }
        });
    }

    for (const sql of right) {
        it(`accepts ${sql.slice(0, 80)}`, async () => {
            expect((await tried(sql)).message).to.equal(`accepted: ${sql.slice(0, 200)}`);
        });
    }

    it('keeps tags, featured projects and remixes consistent after any write', async () => {
        await fill();
        const { db } = database;
        const seen = async (): Promise<object> => {
            const { rows: [row] } = await db.raw(`select array(select tag from project_tags order by tag) as tags, array(select language from featured_projects) as featured,
                array(select tag || projects from featured_tags order by tag) as counted,
                (select remixes::int from project_stats where project_id = 1) as remixes`);
            return row;
        };

        expect(await seen()).to.equal({ tags: ['a', 'b'], featured: ['en'], counted: ['a1', 'b1'], remixes: null });
        await db.raw(`update projects set tags = '{b,c}'`);
        await db.raw(`update users set language = 'PT-br'`);
        expect(await seen()).to.equal({ tags: ['b', 'c'], featured: ['pt-br'], counted: ['b1', 'c1'], remixes: null });
        await db.raw('update projects set featured = false');
        await db.raw(`insert into projects (user_id, version, title, remixed_from) select 1, '1', 'x', 1 from generate_series(1, 3)`);
        expect(await seen()).to.equal({ tags: ['b', 'c'], featured: [], counted: [], remixes: 3 });
        await db.raw('update projects set deleted_at = now() where id = 2; update projects set deleted_at = now() where id = 2; delete from projects where id = 2');
        await db.raw('update projects set deleted_at = now() where id = 3; update projects set deleted_at = null where id = 3; update projects set deleted_at = now() where id = 3');
        expect(await seen()).to.equal({ tags: ['b', 'c'], featured: [], counted: [], remixes: 1 });
        for (const [hide, show] of [[`visibility = 'private'`, `visibility = 'public'`], [`visibility = 'unlisted'`, `visibility = 'public'`], ['held_at = now()', 'held_at = null']]) {
            await db.raw(`update projects set featured = true; update projects set ${hide}; update projects set ${hide}`);
            expect(await seen()).to.equal({ tags: [], featured: [], counted: [], remixes: 0 });
            await db.raw(`update projects set featured = false, ${show}`);
            expect(await seen()).to.equal({ tags: ['b', 'c'], featured: [], counted: [], remixes: 1 });
        }

        await db.raw(`insert into projects (user_id, version, title, tags, featured, remixed_from, visibility) values (1, '1', 'x', '{d}', true, 1, 'private')`);
        expect(await seen()).to.equal({ tags: ['b', 'c'], featured: [], counted: [], remixes: 1 });
        await db.raw('delete from projects where visibility = \'private\'');
        await db.raw('update projects set featured = true, deleted_at = now()');
        expect(await seen()).to.equal({ tags: [], featured: [], counted: [], remixes: 0 });
        await db.raw('update projects set deleted_at = null');
        expect(await seen()).to.equal({ tags: ['b', 'c'], featured: ['pt-br', 'pt-br', 'pt-br'], counted: ['b1', 'c1'], remixes: 2 });
        await db.raw('delete from users');
        expect(await seen()).to.equal({ tags: [], featured: [], counted: [], remixes: null });
    });

    it('deletes elements with their pages, and also those that are just being added', async () => {
        await fill();
        const { db } = database;
        const left = async (): Promise<string[]> => (await db.raw<{ rows: { page: string }[] }>('select page_id::text as page from elements order by 1')).rows.map(({ page }) => page);
        const isWaiting = async (): Promise<boolean> => await waiting({ database }) > 0;

        await db.raw(`insert into pages (project_id, x, y) values (1, 2, 0); insert into elements (page_id, type) values (1, 'x'), (2, 'x'), (3, 'x')`);
        const adding = await db.transaction();
        await adding.raw(`insert into elements (page_id, type) values (2, 'late')`);
        const deletion = db.raw('delete from pages where id in (1, 2)').then(() => 'deleted');
        await until(isWaiting);
        await adding.commit();
        expect(await deletion).to.equal('deleted');
        expect(await left()).to.equal(['3']);

        const deleting = await db.transaction();
        await deleting.raw('delete from pages where id = 3');
        const addition = db.raw(`insert into elements (page_id, type) values (3, 'late')`).then(() => ({ code: 'added' }), (error) => error);
        await until(isWaiting);
        await deleting.commit();
        expect((await addition).code).to.equal('23503');
        expect(await left()).to.equal([]);
    });

    it('has an answer for every constraint that a trigger raises', async () => {
        const { rows } = await database.db.raw(`select distinct (regexp_matches(prosrc, $$constraint = '([a-z_]+)'$$, 'g'))[1] as name from pg_proc where pronamespace = 'public'::regnamespace order by 1`);
        const names = rows.map(({ name }: { name: string }) => name);
        expect(names).to.include(['audience_bound', 'members_bound', 'publish_bound']);
        expect(names.filter((name: string) => !hasAnswer(name))).to.equal([]);
    });

    it('has a test for every constraint', async () => {
        const { rows } = await database.db.raw(`
            select conname from pg_constraint join pg_class on pg_class.oid = conrelid
            where connamespace = 'public'::regnamespace and contype <> 'n' and relname !~ '^migrations' and not (contype = 'p' and conname !~ 'stats|project_views')`);
        const names = rows.map(({ conname }: { conname: string }) => conname).sort();
        // Unique indexes and triggers are not constraints, but rules too.
        expect(Object.keys(wrong).filter((name) => !/^users_(?:username_key|identity)_key$|^elements_page_id_fkey$|_size_limit|_bound$|^statements_own_decision$/.test(name)).sort()).to.equal(names);
    });
});
