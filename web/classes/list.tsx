import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { PagewrightError } from '../../client/src/index.js';
import type { Class, ClassRead, User } from '../../client/src/index.js';
import { place } from '../ui/place';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { href, timeIn, useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { classFields, classWritten } from './fields';

/** A code, as it is or at the end of the address that has it. */
const codeIn = (text: string): string => text.trim().split('#').at(-1) ?? '';

/** Twelve letters and digits, with blanks and hyphens between them, as the service takes it. */
const codePattern = /^[\s-]*(?:[2-9A-Za-z][\s-]*){12}$/;

/** Joins a class by a code, also one that is at the end of the page's address: there it is in no log. */
function JoinForm(): JSX.Element {
    const { t, client } = useKit();
    const given = location.hash.slice(1);
    return (
        <section class="part" aria-labelledby="join">
            <h2 id="join">{t('classes.join')}</h2>
            <p>{t('classes.join_means')}</p>
            <Form
                label={t('classes.join')} submit={t('classes.join_do')} inline
                fields={[{ name: 'code', label: t('classes.code'), hint: t('classes.code_hint'), value: given, focus: given !== '', maxLength: 500, check: (value) => (codePattern.test(codeIn(value)) ? undefined : t('classes.code_wrong')) }]}
                onSubmit={async (values) => {
                    const { class: joined } = await client.classes.join(codeIn(values.text('code'))).catch((error: unknown) => {
                        throw error instanceof PagewrightError && error.status === 404 ? new PagewrightError(404, { code: 'not_found', details: [{ path: 'code', message: t('classes.code_unknown') }] }) : error;
                    });
                    location.assign(href(`/class/${joined.id}`));
                }}
            />
        </section>
    );
}

interface Found {
    classes: readonly { class: Class; role: ClassRead['role'] }[];
    user: User;
}

/** The classes that one teaches or attends. */
export function ClassList(): JSX.Element {
    const { t, client, language } = useKit();
    const session = useSession();
    const [found, setFound] = useState<Found | null>(null);
    const [isOpen, setOpen] = useState(false);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        Promise.all([client.classes.mine(), client.account.get()]).then(([classes, user]) => setFound({ classes, user }), (error: unknown) => setProblem(problemText(t, language, error)));
    }, [session?.user.id]);

    const isManaged = found !== null && found.user.managed !== null;
    const teaches = found !== null && !isManaged && (found.user.permissions.teacher || place().teachersOpen);
    return (
        <>
            <h1>{t('classes.title')}</h1>
            <p class="problem" role="alert">{problem}</p>
            {found === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    {teaches && <div class="bar"><button type="button" onClick={() => setOpen(true)}>{t('classes.new')}</button></div>}
                    {found.classes.length === 0 ? <p class="empty">{t('classes.none')}</p> : (
                        <ul class="rows" aria-label={t('classes.title')}>
                            {found.classes.map(({ class: { id, title, history }, role }) => (
                                <li key={id}>
                                    <article class="row">
                                        <div class="about">
                                            <h2><a href={href(`/class/${id}`)} dir="auto">{title}</a></h2>
                                            <p class="facts"><span>{t(`classes.is_${String(role)}`)}</span><span>{t('sessions.since', { time: timeIn(language, history.created_at) })}</span></p>
                                        </div>
                                    </article>
                                </li>
                            ))}
                        </ul>
                    )}
                    {!isManaged && <JoinForm />}
                    {!isManaged && !teaches && <p class="hint">{t('classes.become')}</p>}
                </>
            )}
            {isOpen && (
                <Dialog title={t('classes.new')} onClose={() => setOpen(false)}>
                    <Form fields={classFields(t)} submit={t('classes.make')} cancel={{ label: t('ui.cancel'), onCancel: () => setOpen(false) }} onSubmit={async (values) => {
                        const { class: made } = await client.classes.create(classWritten(values));
                        location.assign(href(`/class/${made.id}`));
                    }} />
                </Dialog>
            )}
        </>
    );
}
