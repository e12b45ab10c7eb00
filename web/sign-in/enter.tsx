import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { usernameFault } from '../../src/api/representations/username';
import type { Translate } from '../../src/site/text-options';
import { unsentHere } from '../offline/device';
import { preparedClasses } from '../prepared';
import { remixAskedFor } from './remix-wanted';
import { personWaitedFor } from '../session';
import { Form } from '../ui/form';
import type { FieldOptions } from '../ui/form';
import { href, useKit, useSession } from '../ui/kit';
import { browserName } from './browser-name';
import { PasskeySignIn } from './passkey-sign-in';
import { place } from '../ui/place';
import { Providers } from './providers';

const SHORTEST_PASSWORD = 8;

/** The field in which one chooses a username. */
export const usernameField = (t: Translate): FieldOptions => ({
    name: 'username', label: t('enter.username'), hint: t('enter.username_hint'), autocomplete: 'username', codes: ['username_taken'],
    check: (value) => {
        const fault = usernameFault(value.trim());
        return fault === undefined ? undefined : t(`error.username_${fault}`);
    }
});

interface EnterProps {
    onEntered(): void;
}

/** The username of a pupil's sheet, whose address has it at its end. */
function usernameGiven(): string {
    try {
        return location.pathname === '/sign-in' ? decodeURIComponent(location.hash.slice(1)) : '';
    }
    catch {
        // It is malformed.
        return '';
    }
}

export function SignIn({ onEntered }: EnterProps): JSX.Element {
    const { t, client } = useKit();
    const { issuer, providers } = place();
    const username = usernameGiven();
    if (issuer !== null) {
        return (
            <>
                <p>{t('enter.elsewhere', { issuer })}</p>
                {providers.length === 0 ? <p class="empty">{t('enter.not_set_up')}</p> : <Providers label="enter.with" />}
            </>
        );
    }

    return (
        <>
            {preparedClasses().map(({ id, title }) => (
                <p key={id}><a class="button" href={href(`/class/${id}`)}>{t('classes.pictures_with', { title })}</a></p>
            ))}
            <Form
                label={t('enter.sign_in')} submit={t('enter.sign_in')}
                fields={[
                    { name: 'username', label: t('enter.username'), autocomplete: 'username', value: username, focus: username === '' },
                    { name: 'password', label: t('enter.password'), type: 'password', autocomplete: 'current-password', maxLength: 256, focus: username !== '' }
                ]}
                onSubmit={async (values) => {
                    const label = browserName();
                    await client.signIn({ username: values.text('username').trim(), password: values.text('password'), ...label !== '' && { label } });
                    onEntered();
                }}
            />
            {place().mail && <p class="other"><a href={href('/new-password')}>{t('password.forgot')}</a></p>}
            <PasskeySignIn onEntered={onEntered} />
            <Providers label="enter.with" />
        </>
    );
}

export function SignUp({ onEntered }: EnterProps): JSX.Element {
    const { t, client, language } = useKit();
    const { signUp, rules } = place();
    if (signUp === 'closed') {
        return <p class="empty">{t('enter.closed')}</p>;
    }

    return (
        <>
            <Form
                label={t('enter.sign_up')} submit={t('enter.sign_up')}
                fields={[
                    { ...usernameField(t), focus: true },
                    { name: 'password', label: t('enter.password'), type: 'password', hint: t('enter.password_hint', { count: SHORTEST_PASSWORD }), autocomplete: 'new-password', minLength: SHORTEST_PASSWORD, maxLength: 256 },
                    ...signUp === 'invite' ? [{
                        name: 'code', label: t('enter.code'), hint: t('enter.code_hint'), maxLength: 100, codes: ['invitation_invalid', 'invitation_needed'], value: new URLSearchParams(location.search).get('code') ?? ''
                    }] : []
                ]}
                onSubmit={async (values) => {
                    const code = values.text('code').trim();
                    await client.signUp({ username: values.text('username').trim(), password: values.text('password'), language, ...code !== '' && { code } });
                    onEntered();
                }}
            >
                {rules !== '' && (
                    <section class="rules" aria-label={t('enter.rules')} tabIndex={0}>
                        <h2>{t('enter.rules')}</h2>
                        <p dir="auto">{rules}</p>
                        <p>{t('enter.agree')}</p>
                    </section>
                )}
            </Form>
            <Providers label="enter.with" />
        </>
    );
}

/** Says whose edits wait on this device, and what becomes of them if somebody else signs in. */
export function Waiting(): JSX.Element | null {
    const { t } = useKit();
    const person = personWaitedFor();
    const [count, setCount] = useState(0);
    useEffect(() => {
        if (person !== null) {
            unsentHere().then(setCount, () => undefined);
        }
    }, []);
    return person === null || count === 0 ? null : <p class="warning" role="status">{t('enter.unsent', { name: person.username, count })}</p>;
}

/** Signing in or opening an account, one instead of the other. */
export function Enter({ start, onEntered }: { start: 'sign-in' | 'sign-up'; onEntered(how: 'sign-in' | 'sign-up'): void }): JSX.Element {
    const { t } = useKit();
    // An identity provider opens its accounts itself.
    const [mode, setMode] = useState(place().issuer === null ? start : 'sign-in');
    const isNew = mode === 'sign-up';
    const remixed = remixAskedFor();
    const other = isNew ? 'sign-in' : 'sign-up';
    return (
        <div class="enter">
            <h1>{t(isNew ? 'enter.sign_up' : 'enter.sign_in')}</h1>
            {remixed !== undefined && <p class="lead">{t('enter.for_remix', { title: remixed })}</p>}
            <Waiting />
            {isNew ? <SignUp key={mode} onEntered={() => onEntered(mode)} /> : <SignIn key={mode} onEntered={() => onEntered(mode)} />}
            {place().issuer === null && (
                <p class="other">
                    {t(isNew ? 'enter.have_account' : 'enter.no_account')}{' '}
                    <a class={isNew ? undefined : 'button quiet'} href={`/${other}${location.search}`} onClick={(event) => {
                        event.preventDefault();
                        setMode(other);
                    }}>{t(isNew ? 'enter.sign_in' : 'enter.sign_up')}</a>
                </p>
            )}
        </div>
    );
}

/** Shows its content to those who are signed in, and the way in to others. */
export function SignedIn({ children, text }: { children: ComponentChildren; text?: string }): JSX.Element {
    const session = useSession();
    if (session !== null) {
        return <>{children}</>;
    }

    // Whoever wants to make a first project has no account yet.
    const isNew = new URLSearchParams(location.search).has('new') && place().issuer === null && place().signUp === 'open';
    return (
        <>
            {text !== undefined && <p class="lead">{text}</p>}
            <Enter start={isNew ? 'sign-up' : 'sign-in'} onEntered={() => undefined} />
        </>
    );
}
