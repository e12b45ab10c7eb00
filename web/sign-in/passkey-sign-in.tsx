import { startAuthentication } from '@simplewebauthn/browser';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { PasskeyAnswer } from '../../client/src/index.js';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { browserName } from './browser-name';

/** The ways to sign in without a password: with a passkey, or with a recovery code. */
export function PasskeySignIn({ onEntered }: { onEntered(): void }): JSX.Element {
    const { t, client, language } = useKit();
    const [problem, setProblem] = useState('');
    const [byCode, setByCode] = useState(false);
    const label = browserName();
    const labelled = label === '' ? {} : { label };
    const enter = async (): Promise<void> => {
        setProblem('');
        const options = await client.passkeyOptions();
        const passkey = await answer(options).catch(() => undefined);
        if (passkey === undefined) {
            setProblem(t('passkeys.cancelled'));
            return;
        }

        await client.signInWithPasskey({ passkey, ...labelled });
        onEntered();
    };

    return (
        <>
            <div class="actions">
                <button type="button" class="quiet" onClick={() => void enter().catch((error: unknown) => setProblem(problemText(t, language, error)))}>{t('passkeys.sign_in')}</button>
                <button type="button" class="plain" aria-expanded={byCode} onClick={() => setByCode(!byCode)}>{t('passkeys.use_code')}</button>
            </div>
            <p class="problem" role="alert">{problem}</p>
            {byCode && (
                <Form
                    label={t('passkeys.use_code')} submit={t('passkeys.sign_in_code')}
                    fields={[{ name: 'username', label: t('enter.username'), autocomplete: 'username', focus: true }, { name: 'recovery_code', label: t('passkeys.code'), maxLength: 100 }]}
                    onSubmit={async (values) => {
                        await client.signInWithRecoveryCode({ username: values.text('username').trim(), recovery_code: values.text('recovery_code').trim(), ...labelled });
                        onEntered();
                    }}
                />
            )}
        </>
    );
}

/** Whether the service sent what a browser needs to sign in with a passkey. */
const isRequest = (options: object): options is PublicKeyCredentialRequestOptionsJSON => 'challenge' in options;

/** Lets the browser sign in with a passkey. @throws Error if the person does not want to, or has none for this site */
async function answer(options: object): Promise<PasskeyAnswer> {
    if (!isRequest(options)) {
        throw new TypeError('These are no options to sign in with');
    }

    const { id, rawId, response: { clientDataJSON, authenticatorData, signature } } = await startAuthentication({ optionsJSON: options });
    return { id, rawId, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, authenticatorData, signature } };
}
