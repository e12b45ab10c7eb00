import { startRegistration } from '@simplewebauthn/browser';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { NewPasskey, Passkey } from '../../client/src/index.js';
import { Confirm } from '../ui/dialog';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { place } from '../ui/place';
import { Rows, UseFacts } from './rows';

interface Own {
    passkeys: readonly Passkey[];
    /** how many recovery codes are left */
    left: number;
}

/** Passkeys, and codes for whoever has lost theirs. */
export function Passkeys(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [own, setOwn] = useState<Own | null>(null);
    const [codes, setCodes] = useState<readonly string[]>([]);
    const [leaving, setLeaving] = useState<Passkey | null>(null);
    const [problem, setProblem] = useState('');
    const { issuer } = place();
    const read = async (): Promise<void> => {
        const { passkeys, recovery_codes: left } = await client.account.passkeys();
        setOwn({ passkeys, left });
    };

    const attempt = (work: () => Promise<void>): void => {
        setProblem('');
        void work().catch((error: unknown) => setProblem(problemText(t, language, error)));
    };

    useEffect(() => {
        if (issuer === null) {
            attempt(read);
        }
    }, []);
    if (issuer !== null) {
        return <p class="lead">{t('sessions.elsewhere', { issuer })}</p>;
    }

    return (
        <>
            <p class="lead">{t('passkeys.lead')}</p>
            <Form
                inline label={t('passkeys.add')} submit={t('passkeys.add')} fields={[{ name: 'label', label: t('passkeys.label'), hint: t('passkeys.label_hint'), maxLength: 100 }]}
                onSubmit={async (values) => {
                    await client.account.addPasskey({ label: values.text('label').trim(), passkey: await make(await client.account.passkeyOptions()).catch(() => {
                        throw new Error(t('passkeys.cancelled'));
                    }) });
                    await read();
                    say(t('passkeys.added'));
                }}
            />
            <p class="problem" role="alert">{problem}</p>
            <Rows
                things={own?.passkeys ?? null} label={t('account.passkeys')} none={t('passkeys.none')} problem={problem} nameOf={({ label }) => label}
                facts={(passkey) => <UseFacts of={passkey} />}
                ending={(passkey) => ({ label: t('passkeys.remove_name', { name: passkey.label }), text: t('passkeys.remove'), press: () => setLeaving(passkey) })}
            />
            <section class="part">
                <h2>{t('passkeys.codes')}</h2>
                <p>{t('passkeys.codes_text')} {own !== null && t('passkeys.codes_left', { count: own.left })}</p>
                {codes.length > 0 && (
                    <>
                        <ol class="codes" aria-label={t('passkeys.codes')} tabIndex={0}>{codes.map((code) => <li key={code}><code dir="ltr">{code}</code></li>)}</ol>
                        <p class="hint">{t('passkeys.codes_hint')}</p>
                    </>
                )}
                <div class="actions">
                    <button type="button" class="quiet" onClick={() => attempt(async () => {
                        setCodes(await client.account.createRecoveryCodes());
                        await read();
                        say(t('passkeys.codes_made'));
                    })}>{t('passkeys.codes_make')}</button>
                </div>
            </section>
            {leaving !== null && (
                <Confirm title={t('passkeys.remove_name', { name: leaving.label })} text={t('passkeys.remove_text')} action={t('passkeys.remove')} onClose={() => setLeaving(null)} onConfirm={async () => {
                    await client.account.removePasskey(leaving);
                    await read();
                    say(t('passkeys.removed'));
                    setLeaving(null);
                }} />
            )}
        </>
    );
}

/** Whether the service sent what a browser needs to make a passkey. */
const isCreation = (options: object): options is PublicKeyCredentialCreationOptionsJSON => 'challenge' in options && 'rp' in options;

/** Lets the browser make a passkey. @throws Error if the person does not want to, or the device cannot */
async function make(options: object): Promise<NewPasskey['passkey']> {
    if (!isCreation(options)) {
        throw new TypeError('These are no options for a passkey');
    }

    const { id, rawId, response: { clientDataJSON, attestationObject, transports = [] } } = await startRegistration({ optionsJSON: options });
    return { id, rawId, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject, transports: [...transports] } };
}
