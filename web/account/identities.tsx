import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Identity } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Providers } from './providers';

/** The identities at other providers that sign in to the account. */
export function Identities(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [own, setOwn] = useState<readonly Identity[] | null>(null);
    const [leaving, setLeaving] = useState<Identity | null>(null);
    const [problem, setProblem] = useState('');
    const read = async (): Promise<void> => setOwn(await client.account.identities());
    useEffect(() => void read().catch((error: unknown) => setProblem(problemText(t, language, error))), []);
    const nameOf = ({ provider, issuer, name }: Identity): string => [provider?.name ?? issuer, name ?? []].flat().join(' \u00b7 ');
    return (
        <>
            <p class="lead">{t('identities.lead')}</p>
            <Providers label="identities.add" to="add" />
            <p class="problem" role="alert">{problem}</p>
            {own === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : own.length === 0 ? <p class="empty">{t('identities.none')}</p> : (
                <ul class="rows" aria-label={t('account.identities')}>
                    {own.map((identity) => (
                        <li key={identity.id}>
                            <article class="row">
                                <div class="about">
                                    <h2 dir="auto">{nameOf(identity)}</h2>
                                    <p class="facts">
                                        <span>{t('sessions.since', { time: timeIn(language, identity.created_at) })}</span>
                                        <span>{identity.last_used_at === null ? t('sessions.unused') : t('sessions.used', { time: timeIn(language, identity.last_used_at) })}</span>
                                        {identity.provider === null && <span>{t('identities.gone')}</span>}
                                    </p>
                                    <div class="does"><button type="button" class="quiet" aria-label={t('passkeys.remove_name', { name: nameOf(identity) })} onClick={() => setLeaving(identity)}>{t('passkeys.remove')}</button></div>
                                </div>
                            </article>
                        </li>
                    ))}
                </ul>
            )}
            {leaving !== null && (
                <Confirm title={t('passkeys.remove_name', { name: nameOf(leaving) })} text={t('passkeys.remove_text')} action={t('passkeys.remove')} onClose={() => setLeaving(null)} onConfirm={async () => {
                    await client.account.removeIdentity(leaving);
                    await read();
                    say(t('identities.removed'));
                    setLeaving(null);
                }} />
            )}
        </>
    );
}
