import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { User } from '../../client/src/index.js';
import { usernameKey } from '../../src/api/representations/username';
import { isBounded } from '../../src/classes/publish-levels';
import { signOut } from '../session';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, languagesOffered, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Address } from './address';
import { usernameField } from '../sign-in/enter';
import { place } from '../ui/place';

export function Profile(): JSX.Element {
    const { t, client, language: here, say } = useKit();
    const [user, setUser] = useState<User | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.account.get().then(setUser, (error: unknown) => setProblem(problemText(t, here, error)));
    }, []);
    if (user === null) {
        return problem === '' ? <p class="loading" role="status">{t('page.loading')}</p> : <p class="problem" role="alert">{problem}</p>;
    }

    const own = user.locale.language;
    const offered = languagesOffered();
    // A class does not let its accounts change these.
    const isManaged = user.managed !== null;
    const isQuiet = isBounded(user.managed?.publish);
    return (
        <>
            <section class="part">
                <h2>{t('profile.who')}</h2>
                <p>{t('profile.since', { time: timeIn(here, user.history.created_at) })}</p>
                <p><a href={href(`/u/${encodeURIComponent(user.username)}`)}>{t('profile.page')}</a></p>
                <Form
                    label={t('profile.who')} submit={t('ui.save')}
                    fields={[
                        ...isManaged ? [] : [{ ...usernameField(t), value: user.username }],
                        ...isQuiet ? [] : [{ name: 'about', label: t('profile.about'), hint: t('profile.about_hint'), value: user.about, maxLength: 200, optional: true }],
                        { name: 'language', label: t('profile.language'), hint: t('profile.language_hint'), type: 'select', value: own, options: [...offered.some(([language]) => language === own) ? [] : [[own, own] as const], ...offered] }
                    ]}
                    onSubmit={async (values) => {
                        setUser(await client.account.update({ language: values.text('language'), ...!isManaged && { username: values.text('username').trim() }, ...!isQuiet && { about: values.text('about').trim() } }));
                        say(t('profile.saved'));
                    }}
                />
            </section>
            {place().issuer === null && <Secret hasAddress={place().mail && !isManaged} />}
            {!isManaged && <Closing user={user} />}
        </>
    );
}

/** The password, and the address to which a new one is sent; or where one goes with an account that has no password. */
function Secret({ hasAddress }: { hasAddress: boolean }): JSX.Element {
    const { t, client, language } = useKit();
    const [hasPassword, setHasPassword] = useState<boolean | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.account.passkeys().then(({ has_password: has }) => setHasPassword(has), (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    if (hasPassword === true) {
        return <><Password />{hasAddress && <Address />}</>;
    }

    return (
        <section class="part">
            <h2>{t('profile.password')}</h2>
            {hasPassword === null ? problem === '' ? <p class="loading" role="status">{t('page.loading')}</p> : <p class="problem" role="alert">{problem}</p> : (
                <>
                    <p>{t('profile.no_password')}</p>
                    <div class="actions">{['passkeys', 'identities'].filter((part) => part === 'passkeys' || place().providers.length > 0).map((part) => <a key={part} class="button quiet" href={href(`/account/${part}`)}>{t(`account.${part}`)}</a>)}</div>
                </>
            )}
        </section>
    );
}

function Password(): JSX.Element {
    const { t, client, say } = useKit();
    const [times, setTimes] = useState(0);
    return (
        <section class="part">
            <h2>{t('profile.password')}</h2>
            <p>{t('profile.password_text')}</p>
            <Form
                key={times} label={t('profile.password')} submit={t('profile.password_do')}
                fields={[
                    { name: 'current_password', label: t('profile.current_password'), type: 'password', autocomplete: 'current-password', maxLength: 256, codes: ['wrong_password'] },
                    { name: 'password', label: t('profile.new_password'), type: 'password', hint: t('enter.password_hint', { count: 8 }), autocomplete: 'new-password', minLength: 8, maxLength: 256 }
                ]}
                onSubmit={async (values) => {
                    await client.account.changePassword(values.text('current_password'), values.text('password'));
                    setTimes(times + 1);
                    say(t('profile.password_changed'));
                }}
            />
        </section>
    );
}

function Closing({ user }: { user: User }): JSX.Element {
    const { t, client } = useKit();
    const [open, setOpen] = useState<'no' | 'name' | 'sure'>('no');
    const close = (): void => setOpen('no');
    return (
        <section class="part">
            <h2>{t('profile.close')}</h2>
            <p>{t('profile.close_text')} <a href={href('/account/files')}>{t('account.files')}</a></p>
            <button type="button" class="danger" onClick={() => setOpen('name')}>{t('profile.close_do')}</button>
            {open === 'name' && (
                <Dialog title={t('profile.close')} onClose={close}>
                    <Form
                        fields={[{ name: 'name', label: t('profile.close_name', { name: user.username }), autocomplete: 'off', check: (value) => (usernameKey(value.trim()) === usernameKey(user.username) ? undefined : t('profile.close_wrong')) }]}
                        submit={t('ui.go_on')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        onSubmit={() => {
                            setOpen('sure');
                            return Promise.resolve();
                        }}
                    />
                </Dialog>
            )}
            {open === 'sure' && (
                <Confirm title={t('profile.close')} text={t('profile.close_sure')} action={t('profile.close_do')} onClose={close} onConfirm={async () => {
                    await client.account.delete();
                    await signOut();
                    location.assign(href('/'));
                }} />
            )}
        </section>
    );
}
