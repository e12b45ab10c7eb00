import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Token } from '../../client/src/index.js';
import { unsentHere } from '../offline/device';
import { signOut } from '../session';
import { Confirm } from '../ui/dialog';
import { href, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { place } from '../ui/place';
import { Rows } from './rows';
import { TokenFacts } from './token-facts';

export function Sessions(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [tokens, setTokens] = useState<readonly Token[] | null>(null);
    const [problem, setProblem] = useState('');
    const [isEnding, setEnding] = useState(false);
    const [waiting, setWaiting] = useState(0);
    const { issuer } = place();
    const failed = (error: unknown): void => setProblem(problemText(t, language, error));
    useEffect(() => {
        if (issuer === null) {
            client.account.tokens().then((all) => setTokens(all.filter(({ origin }) => origin === 'sign_in' || origin === 'passkey')), failed);
        }
    }, []);

    if (issuer !== null) {
        return <p class="lead">{t('sessions.elsewhere', { issuer })}</p>;
    }

    const revoke = async (token: Token): Promise<void> => {
        try {
            await client.account.revoke(token);
            setTokens((before) => before?.filter(({ id }) => id !== token.id) ?? null);
            say(t('sessions.revoked'));
        }
        catch (error) {
            failed(error);
        }
    };

    const nameOf = ({ label }: Token): string => label ?? t('sessions.unnamed');
    return (
        <>
            <p class="lead">{t('sessions.lead')}</p>
            <p class="problem" role="alert">{problem}</p>
            <Rows
                things={tokens} label={t('account.sessions')} none="" problem={problem} nameOf={nameOf} facts={(token) => <TokenFacts token={token} />}
                ending={(token) => (token.id === client.session?.tokenId ? null : { label: t('sessions.end_name', { name: nameOf(token) }), text: t('sessions.end'), press: () => void revoke(token) })}
            />
            <div class="actions"><button type="button" class="quiet" onClick={() => void unsentHere().catch(() => 0).then(setWaiting).then(() => setEnding(true))}>{t('sessions.everywhere')}</button></div>
            {isEnding && (
                <Confirm title={t('sessions.everywhere')} text={`${t('sessions.everywhere_text')}${waiting === 0 ? '' : ` ${t('account.unsent', { count: waiting })}`}`} action={t('sessions.everywhere')} onClose={() => setEnding(false)} onConfirm={async () => {
                    await signOut({ everywhere: true });
                    location.assign(href('/'));
                }} />
            )}
        </>
    );
}
