import type { JSX } from 'preact';

import type { Person } from '../../client/src/index.js';
import { timeIn, useKit } from '../ui/kit';

/** Permissions, from the least to the most. */
export const permissionNames = ['teacher', 'moderator', 'staff'] as const;

/** Whether an account works, what it may do, and since when it is there. */
export function PersonFacts({ person: { state, permissions, managed, suspension, created_at: since, deleted_at: deleted } }: { person: Person }): JSX.Element {
    const { t, language } = useKit();
    return (
        <>
            <p class="facts">
                <span>{t(`admin.state_${state}`)}</span>
                {permissionNames.filter((name) => permissions[name]).map((name) => <span key={name}>{t(`admin.permission_${name}`)}</span>)}
                {managed && <span>{t('admin.managed')}</span>}
                <span>{t('sessions.since', { time: timeIn(language, since) })}</span>
                {deleted !== null && <span>{t('admin.removed_at', { time: timeIn(language, deleted) })}</span>}
                {suspension !== null && suspension.until !== null && <span>{t('admin.suspended_until', { time: timeIn(language, suspension.until) })}</span>}
            </p>
            {suspension !== null && <p class="words" dir="auto">{suspension.reason}</p>}
        </>
    );
}
