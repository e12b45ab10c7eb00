import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { MailAddress } from '../../client/src/index.js';
import { isMailAddress } from '../../src/config/mail-address';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { forgetLinkKey, useLinkKey } from '../ui/link-key';

/** The mail address of the account: which it is, and another one. */
export function Address(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [own, setOwn] = useState<MailAddress | null>(null);
    const [times, setTimes] = useState(0);
    const [problem, setProblem] = useState('');
    const attempt = (work: () => Promise<void>): void => {
        setProblem('');
        void work().catch((error: unknown) => setProblem(problemText(t, language, error)));
    };

    useEffect(() => attempt(async () => setOwn(await client.account.address())), []);
    return (
        <section class="part">
            <h2>{t('address.title')}</h2>
            <p>{t('address.text')}</p>
            {own !== null && own.confirmed !== null && own.confirmed_at !== null && <p>{t('address.confirmed', { address: own.confirmed, time: timeIn(language, own.confirmed_at) })}</p>}
            {own !== null && own.pending !== null && <p>{t('address.pending', { address: own.pending })}</p>}
            <p class="problem" role="alert">{problem}</p>
            {own === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <Form
                    key={times} label={t('address.title')} submit={t('address.send')}
                    fields={[
                        { name: 'address', label: t('address.new'), type: 'email', autocomplete: 'email', maxLength: 254, check: (value) => (isMailAddress(value.trim()) ? undefined : t('address.wrong')) },
                        { name: 'current_password', label: t('profile.current_password'), type: 'password', autocomplete: 'current-password', maxLength: 256, codes: ['wrong_password'] }
                    ]}
                    onSubmit={async (values) => {
                        setOwn(await client.account.changeAddress(values.text('address').trim(), values.text('current_password')));
                        setTimes(times + 1);
                        say(t('address.sent'));
                    }}
                />
            )}
            {own !== null && (own.confirmed !== null || own.pending !== null) && (
                <div class="actions">
                    <button type="button" class="quiet" onClick={() => attempt(async () => {
                        await client.account.removeAddress();
                        setOwn({ confirmed: null, confirmed_at: null, pending: null, pending_since: null });
                        say(t('address.removed'));
                    })}>{t('address.remove')}</button>
                </div>
            )}
        </section>
    );
}

/** The page of the link that confirms an address. */
export function ConfirmAddress(): JSX.Element {
    const { t } = useKit();
    const key = useLinkKey();
    return (
        <div class="enter">
            <h1>{t('address.confirm')}</h1>
            <Confirmation key={key} linkKey={key} />
            <p class="other"><a href={href('/account/profile')}>{t('account.profile')}</a></p>
        </div>
    );
}

function Confirmation({ linkKey }: { linkKey: string }): JSX.Element {
    const { t, client } = useKit();
    const [confirmed, setConfirmed] = useState<string | null>(null);
    return confirmed !== null ? <p role="status">{t('address.confirm_done', { address: confirmed })}</p> : (
        <>
            <p>{t('address.confirm_text', { name: client.session?.user.username ?? '' })}</p>
            <Form
                label={t('address.confirm')} submit={t('address.confirm_do')} fields={[]}
                onSubmit={async () => {
                    const { confirmed: address } = await client.account.confirmAddress(linkKey);
                    forgetLinkKey();
                    setConfirmed(address);
                }}
            />
        </>
    );
}
