import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { OwnAnnouncement } from '../../client/src/index.js';
import { MAX_ANNOUNCEMENT_TEXT } from '../../src/limits';
import { Confirm, Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { inField } from '../ui/time-field';

const DAY = 24 * 3600 * 1000;

type Open = 'new' | OwnAnnouncement | null;

/** Texts that are on all pages until a time. */
export function Announcements(): JSX.Element {
    const { t, client, language, say } = useKit();
    const [all, setAll] = useState<readonly OwnAnnouncement[] | null>(null);
    const [problem, setProblem] = useState('');
    const [open, setOpen] = useState<Open>(null);
    const close = (): void => setOpen(null);
    useEffect(() => {
        client.admin.ownAnnouncements().then(setAll, (error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    return (
        <>
            <p class="lead">{t('admin.announcements_lead')}</p>
            <div class="bar"><button type="button" onClick={() => setOpen('new')}>{t('admin.announce')}</button></div>
            <p class="problem" role="alert">{problem}</p>
            {all === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : all.length === 0 ? <p class="empty">{t('admin.no_announcements')}</p> : (
                <ul class="rows" aria-label={t('admin.announcements')}>
                    {all.map((one) => (
                        <li key={one.id}>
                            <article class="row">
                                <div class="about">
                                    <p class="words" dir="auto">{one.text}</p>
                                    <p class="facts">
                                        <span>{t(`admin.level_${one.level}`)}</span>
                                        <span>{t('sessions.until', { time: timeIn(language, one.until) })}</span>
                                        <span>{one.by === null ? t('log.operator') : t('ui.by', { name: one.by })}</span>
                                    </p>
                                    <div class="does"><button type="button" class="quiet" aria-label={t('admin.withdraw_text', { text: one.text })} onClick={() => setOpen(one)}>{t('admin.withdraw')}</button></div>
                                </div>
                            </article>
                        </li>
                    ))}
                </ul>
            )}
            {open === 'new' && (
                <Dialog title={t('admin.announce')} onClose={close}>
                    <Form
                        submit={t('admin.announce_do')} cancel={{ label: t('ui.cancel'), onCancel: close }}
                        fields={[
                            { name: 'text', label: t('admin.text'), hint: t('admin.text_hint'), type: 'textarea', maxLength: MAX_ANNOUNCEMENT_TEXT, focus: true },
                            { name: 'level', label: t('admin.level'), type: 'select', value: 'info', options: (['info', 'warning'] as const).map((level) => [level, t(`admin.level_${level}`)]) },
                            { name: 'until', label: t('admin.until'), type: 'datetime-local', value: inField(new Date(Date.now() + DAY)), check: (value) => (Date.parse(value) > Date.now() ? undefined : t('admin.until_past')) }
                        ]}
                        onSubmit={async (values) => {
                            const made = await client.admin.announce({ text: values.text('text').trim(), level: values.text('level') === 'warning' ? 'warning' : 'info', until: new Date(values.text('until')).toISOString() });
                            setAll((before) => [made, ...before ?? []]);
                            say(t('admin.announced'));
                            close();
                        }}
                    />
                </Dialog>
            )}
            {open !== null && open !== 'new' && (
                <Confirm title={t('admin.withdraw_title')} text={open.text} action={t('admin.withdraw')} onClose={close} onConfirm={async () => {
                    await client.admin.withdraw(open);
                    setAll((before) => before?.filter(({ id }) => id !== open.id) ?? null);
                    say(t('admin.withdrawn'));
                    close();
                }} />
            )}
        </>
    );
}
