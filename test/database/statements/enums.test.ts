import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { levels } from '../../../src/community/administration/announcements';
import { workStates } from '../../../src/classes/assignments/json';
import { audiences, classRoles, placeStates, shows } from '../../../src/classes/json';
import { publishLevels } from '../../../src/classes/publish-levels';
import { linkPurposes, mailKinds, mailStates } from '../../../src/accounts/mail/outbox';
import { memberRoles } from '../../../src/api/representations/roles';
import { origins } from '../../../src/api/representations/token-origins';
import { thingTypes } from '../../../src/api/representations/things';
import { deliveryStates, offReasons, webhookEvents } from '../../../src/api/representations/webhook-events';
import { visibilities } from '../../../src/api/representations/visibility';
import { noticeKinds } from '../../../src/community/notices/kinds';
import { commentAudiences, commentRemovers } from '../../../src/community/comments/audiences';
import { reportReasons } from '../../../src/community/report-reasons';
import { decisions, facts, outcomes, statedTypes } from '../../../src/community/statements/json';
import { countedActs, countedKinds } from '../../../src/community/statements/summary';
import { decisions as reportDecisions } from '../../../src/community/moderation/schema';
import { reportKinds } from '../../../src/community/reporters/entry';
import { commentDecisions } from '../../../src/community/reports/input';
import { scopes } from '../../../src/config/scopes';
import { cloneDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { notOnCluster } from '../../support/on-cluster';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** The lists that the code has, by the constraint or the type of the database that repeats them. */
const lists: Readonly<Record<string, readonly string[]>> = {
    announcements_level_known: levels,
    class_people_role_known: classRoles,
    class_projects_audience_known: audiences,
    class_projects_state_known: placeStates,
    classes_show_known: shows,
    classes_publish_known: publishLevels,
    collections_visibility: visibilities,
    comment_settings_who_known: commentAudiences,
    comments_removed_by_known: commentRemovers,
    project_invitations_role: memberRoles,
    project_members_role: memberRoles,
    guest_reports_reason_known: reportReasons,
    moderation_counts_act_known: countedActs,
    moderation_counts_kind_known: countedKinds,
    reports_reason_known: reportReasons,
    statements_decision_known: decisions,
    statements_facts_known: facts,
    statements_outcome_known: outcomes,
    statements_rule_known: reportReasons,
    statements_type_known: statedTypes,
    report_queue_outcomes_known: reportDecisions,
    thing_report_queue_outcomes_known: [...commentDecisions, 'suspended'],
    thing_report_queue_type_known: reportKinds.slice(1),
    thing_reports_reason_known: reportReasons,
    thing_reports_type_known: reportKinds.slice(1),
    thing: thingTypes,
    tokens_origin_known: origins,
    tokens_scope_known: scopes,
    users_publish_known: publishLevels,
    visibility: visibilities,
    mail_links_purpose_known: linkPurposes,
    mails_kind_known: mailKinds,
    mails_state_known: mailStates,
    webhook_deliveries_state_known: deliveryStates,
    webhooks_events_known: webhookEvents,
    webhooks_reason_known: offReasons,
    notice_events_kind_known: noticeKinds,
    notices_kind_known: noticeKinds,
    works_state_known: workStates
};

describe('the enums of the database', notOnCluster('shards repeat each constraint'), () => {
    let database: TestDatabase;

    before(async () => {
        database = await cloneDatabase();
    });

    after(() => database.drop());

    it('have the values that the code has, and there are no others', async () => {
        const { rows } = await database.db.raw(`
            select conname as name, pg_get_constraintdef(oid) as text from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace and pg_get_constraintdef(oid) ~ 'ARRAY\\['''
            union all
            select t.typname, string_agg('''' || e.enumlabel || '''', ' ' order by e.enumsortorder) from pg_enum e join pg_type t on t.oid = e.enumtypid where t.typnamespace = 'public'::regnamespace group by 1`);
        const found = rows.map(({ name, text }: { name: string; text: string }) => [name, [...text.matchAll(/'([^']*)'/g)].map(([, value]) => value)]);
        expect(Object.fromEntries(found)).to.equal(lists);
    });
});
