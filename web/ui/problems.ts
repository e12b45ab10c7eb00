import { PagewrightError } from '../../client/src/index.js';
import type { Translate } from '../../src/site/text-options';

/** Codes that have a text of their own; every other one is shown with the words of the service. */
const known = new Set([
    'collection_full', 'collection_limit', 'coordinates_taken', 'forbidden', 'held', 'invalid_token', 'invitation_invalid', 'invitation_needed', 'member_limit', 'no_account', 'not_found', 'parent_deleted',
    'payload_too_large', 'quota_exceeded', 'removed_by_moderator', 'revision_conflict', 'sign_up_closed', 'username_taken', 'wrong_credentials', 'wrong_password'
]);

const LATER = new Set([408, 502, 503, 504]);

/** The text of an error in the reader's language, with what to do next. */
export function problemText(t: Translate, language: string, error: unknown): string {
    if (!(error instanceof PagewrightError)) {
        // `fetch` fails with a TypeError if there is no connection.
        return error instanceof TypeError ? t('error.network') : t('error.other', { message: String(error instanceof Error ? error.message : error) });
    }

    if (error.code === 'suspended' && error.suspension !== undefined) {
        const { reason, until } = error.suspension;
        return until === null ? t('error.suspended', { reason }) : t('error.suspended_until', { reason, until: new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(until)) });
    }

    if (error.status === 429) {
        return t('error.rate_limited', { count: Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60)) });
    }

    if (known.has(error.code)) {
        return t(`error.${error.code}`);
    }

    const [first] = error.details;
    return LATER.has(error.status) ? t('error.later') : t('error.other', { message: first === undefined ? error.message : `${first.path}: ${first.message}` });
}
