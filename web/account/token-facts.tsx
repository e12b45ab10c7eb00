import type { JSX } from 'preact';

import type { Token } from '../../client/src/index.js';
import { hourIn, timeIn, useKit } from '../ui/kit';

/** Since when a token is there, when it was last used, until when it lasts, and what it is for. */
export function TokenFacts({ token }: { token: Token }): JSX.Element {
    const { t, client, language } = useKit();
    return (
        <p class="facts">
            {token.id === client.session?.tokenId && <strong>{t('sessions.this')}</strong>}
            <span>{t('sessions.since', { time: timeIn(language, token.created_at) })}</span>
            <span>{token.last_used_at === null ? t('sessions.unused') : t('sessions.used', { time: hourIn(language, token.last_used_at) })}</span>
            <span>{t('sessions.until', { time: timeIn(language, token.expires_at) })}</span>
            {token.scope.length === 1 && <span>{t(`sessions.only_${String(token.scope[0])}`)}</span>}
            {token.projects !== null && <span>{t('tokens.projects', { count: token.projects.length })}</span>}
        </p>
    );
}
