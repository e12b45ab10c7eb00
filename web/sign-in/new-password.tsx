import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { PASSWORD_LINK_MINUTES } from '../../src/limits';
import { Form } from '../ui/form';
import { href, useKit } from '../ui/kit';
import { forgetLinkKey, useLinkKey } from '../ui/link-key';

const SHORTEST = 8;

/** Asks for a mail with a link to a new password. What it says is the same whether there is such an account or not. */
function Ask(): JSX.Element {
    const { t, client } = useKit();
    const [isAsked, setAsked] = useState(false);
    return isAsked ? <p role="status">{t('password.asked', { count: PASSWORD_LINK_MINUTES })}</p> : (
        <>
            <p>{t('password.ask_text')}</p>
            <Form
                label={t('password.title')} submit={t('password.ask')} fields={[{ name: 'account', label: t('password.account'), autocomplete: 'username', maxLength: 254, focus: true }]}
                onSubmit={async (values) => {
                    await client.askForPassword(values.text('account').trim());
                    setAsked(true);
                }}
            />
        </>
    );
}

/** The form for a new password, with the key of the link in a mail. */
function Choose({ linkKey }: { linkKey: string }): JSX.Element {
    const { t, client } = useKit();
    const [name, setName] = useState<string | null>(null);
    return name !== null ? (
        <>
            <p role="status">{t('password.done', { name })}</p>
            <p><a class="button" href={href(`/sign-in?of=new-password#${encodeURIComponent(name)}`)}>{t('enter.sign_in')}</a></p>
        </>
    ) : (
        <>
            <p>{t('password.choose_text')}</p>
            <Form
                label={t('password.title')} submit={t('password.choose')}
                fields={[
                    { name: 'password', label: t('profile.new_password'), type: 'password', hint: t('enter.password_hint', { count: SHORTEST }), autocomplete: 'new-password', minLength: SHORTEST, maxLength: 256, focus: true },
                    { name: 'again', label: t('password.again'), type: 'password', autocomplete: 'new-password', maxLength: 256, check: (value) => (value === document.querySelector<HTMLInputElement>('input[name="password"]')?.value ? undefined : t('password.different')) }
                ]}
                onSubmit={async (values) => {
                    const { username } = await client.choosePassword(linkKey, values.text('password'));
                    forgetLinkKey();
                    setName(username);
                }}
            />
            <p class="other"><a href={href('/new-password')}>{t('password.ask_again')}</a></p>
        </>
    );
}

/** A new password by mail: asked for, or chosen. */
export function NewPassword(): JSX.Element {
    const { t } = useKit();
    const key = useLinkKey();
    return (
        <div class="enter">
            <h1>{t('password.title')}</h1>
            {key === '' ? <Ask /> : <Choose key={key} linkKey={key} />}
        </div>
    );
}
