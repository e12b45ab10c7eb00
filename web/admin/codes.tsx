import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { SignUpCode } from '../../client/src/index.js';
import { MAX_CODE_NOTE } from '../../src/limits';
import { place } from '../ui/place';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { Secret } from '../ui/secret';

const DAY = 86_400;
const lives = ['7', '1', '30', '90'] as const;

type Open = 'new' | SignUpCode | null;

/** Codes by which accounts are opened. */
export function Codes(): JSX.Element {
    const { t, client, language, say } = useKit();
    const list = useList<SignUpCode>(() => client.admin.signUpCodes({ count: 25 }), []);
    const [made, setMade] = useState<{ signUpCode: SignUpCode; code: string } | null>(null);
    const [open, setOpen] = useState<Open>(null);
    const { signUp } = place();
    const close = (): void => setOpen(null);
    const nameOf = ({ note, id }: SignUpCode): string => note ?? t('admin.code_number', { number: id });
    return (
        <>
            <p class="lead">{t('admin.codes_lead')}</p>
            {signUp !== 'invite' && <p class="warning">{t(signUp === 'open' ? 'admin.codes_not_needed' : 'admin.codes_not_used')}</p>}
            <div class="bar"><button type="button" onClick={() => setOpen('new')}>{t('admin.code_new')}</button></div>
            {made !== null && <Secret title={t('admin.code_made')} label={t('admin.code_address')} value={new URL(`/sign-up?code=${encodeURIComponent(made.code)}`, location.origin).href} copy={t('admin.code_copy')} copied={t('admin.copied')} />}
            <Items list={list} label={t('admin.codes')} empty={t('admin.no_codes')} keyOf={({ id }) => id}>
                {(code) => (
                    <article class="row">
                        <div class="about">
                            <h2 dir="auto">{nameOf(code)}</h2>
                            <p class="facts">
                                <span>{t('admin.uses_left', { count: code.uses_left })}</span>
                                <span>{t('sessions.until', { time: timeIn(language, code.expires_at) })}</span>
                                <span>{code.by === null ? t('log.operator') : t('ui.by', { name: code.by })}</span>
                            </p>
                            <div class="does"><button type="button" class="quiet" aria-label={t('sessions.end_name', { name: nameOf(code) })} onClick={() => setOpen(code)}>{t('sessions.end')}</button></div>
                        </div>
                    </article>
                )}
            </Items>
            {open === 'new' && (
                <Dialog title={t('admin.code_new')} onClose={close}>
                    <Form
                        submit={t('admin.code_make')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        fields={[
                            { name: 'uses', label: t('admin.uses'), value: '1', maxLength: 6, focus: true, check: (value) => (/^[1-9]\d*$/.test(value.trim()) ? undefined : t('admin.uses_wrong')) },
                            { name: 'expires_in', label: t('tokens.days'), type: 'select', value: '7', options: lives.map((days) => [days, t('tokens.days_count', { count: Number(days) })]) },
                            { name: 'note', label: t('admin.code_note'), hint: t('admin.code_note_hint'), optional: true, maxLength: MAX_CODE_NOTE }
                        ]}
                        onSubmit={async (values) => {
                            const note = values.text('note').trim();
                            const next = await client.admin.createSignUpCode({ uses: Number(values.text('uses')), expires_in: Number(values.text('expires_in')) * DAY, ...note !== '' && { note } });
                            setMade(next);
                            list.change((items) => [next.signUpCode, ...items]);
                            say(t('admin.code_done'));
                            close();
                        }}
                    />
                </Dialog>
            )}
            {open !== null && open !== 'new' && (
                <Confirm title={t('sessions.end_name', { name: nameOf(open) })} text={t('admin.code_end_text')} action={t('sessions.end')} onClose={close} onConfirm={async () => {
                    await client.admin.deleteSignUpCode(open);
                    setMade((before) => (before?.signUpCode.id === open.id ? null : before));
                    list.change((items) => items.filter(({ id }) => id !== open.id));
                    say(t('admin.code_ended'));
                    close();
                }} />
            )}
        </>
    );
}
