import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Identity } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Providers } from '../sign-in/providers';
import { Rows, UseFacts } from './rows';

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
            <Rows
                things={own} label={t('account.identities')} none={t('identities.none')} problem={problem} nameOf={nameOf}
                facts={(identity) => <UseFacts of={identity} more={identity.provider === null && <span>{t('identities.gone')}</span>} />}
                ending={(identity) => ({ label: t('passkeys.remove_name', { name: nameOf(identity) }), text: t('passkeys.remove'), press: () => setLeaving(identity) })}
            />
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
