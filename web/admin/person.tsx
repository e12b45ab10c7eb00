import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Person, PersonInDetail } from '../../client/src/index.js';
import { Suspend } from '../moderation/acts';
import { useAct } from '../ui/act';
import { Confirm } from '../ui/dialog';
import { href, timeIn, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { Secret } from '../ui/secret';
import { Figures } from './figures';
import { bytesIn, numberIn } from './numbers';
import { PersonFacts, permissionNames } from './person-facts';

type Open = 'password' | 'suspend' | 'remove' | 'staff' | null;

/** One account: facts about it, and what can be done. Nothing of what is in its projects. */
export function OnePerson({ id }: { id: string }): JSX.Element {
    const { t, client, language } = useKit();
    const [person, setPerson] = useState<PersonInDetail | null>(null);
    const [problem, setProblem] = useState('');
    const read = (): Promise<void> => client.admin.person({ id }).then(setPerson);
    useEffect(() => {
        read().catch((error: unknown) => setProblem(problemText(t, language, error)));
    }, []);
    return (
        <>
            <p><a href={href('/admin?view=people')}>{t('admin.all_people')}</a></p>
            <p class="problem" role="alert">{problem}</p>
            {person === null ? problem === '' && <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <h2 dir="auto">{person.username}</h2>
                    <PersonFacts person={person} />
                    <Acts person={person} onChange={(next) => setPerson({ ...person, ...next })} />
                    <Facts person={person} />
                </>
            )}
        </>
    );
}

function Facts({ person }: { person: PersonInDetail }): JSX.Element {
    const { t, language } = useKit();
    const number = (value: number): string => numberIn(language, value);
    return (
        <Figures label={t('admin.account')} of={[
            [t('admin.enters'), t(`admin.enters_by_${person.signs_in}`)],
            [t('admin.last_used'), person.last_used_at === null ? t('admin.never') : timeIn(language, person.last_used_at)],
            [t('account.passkeys'), number(person.passkeys)],
            [t('account.identities'), number(person.identities)],
            [t('account.sessions'), number(person.sign_ins)],
            [t('account.tokens'), number(person.tokens)],
            [t('account.apps'), number(person.apps)],
            [t('admin.webhooks'), number(person.webhooks)],
            [t('admin.projects'), t('admin.number_and_size', { number: number(person.projects), size: bytesIn(language, person.project_bytes) })],
            [t('admin.assets'), t('admin.number_and_size', { number: number(person.assets), size: bytesIn(language, person.asset_bytes) })]
        ]} />
    );
}

/** The acts on an account. */
function Acts({ person, onChange }: { person: PersonInDetail; onChange(next: Person): void }): JSX.Element {
    const { t, client, say } = useKit();
    const act = useAct();
    const [open, setOpen] = useState<Open>(null);
    const [password, setPassword] = useState('');
    const { username: name, state } = person;
    const isOneself = client.session?.user.id === person.id;
    const close = (): void => setOpen(null);
    const at = (work: () => Promise<Person>, text: string): void => void act(async () => onChange(await work()), text);
    if (state === 'deleted') {
        return (
            <>
                <p>{t('admin.deleted_text')}</p>
                <div class="does"><button type="button" class="quiet" onClick={() => at(() => client.admin.restore(person), t('admin.restored', { name }))}>{t('admin.restore', { name })}</button></div>
            </>
        );
    }

    return (
        <>
            {password !== '' && <Secret title={t('admin.new_password')} label={t('admin.password_of', { name })} value={password} copy={t('admin.copy_password')} copied={t('admin.copied')} />}
            <div class="does">
                {person.signs_in !== 'elsewhere' && <button type="button" class="quiet" onClick={() => setOpen('password')}>{t('admin.reset', { name })}</button>}
                {state === 'suspended' ? (
                    <button type="button" class="quiet" onClick={() => at(() => client.admin.unsuspend(person), t('moderation.unsuspended', { name }))}>{t('moderation.unsuspend', { name })}</button>
                ) : !isOneself && <button type="button" class="quiet" onClick={() => setOpen('suspend')}>{t('moderation.suspend_name', { name })}</button>}
                {!isOneself && <button type="button" class="quiet" onClick={() => setOpen('remove')}>{t('admin.remove', { name })}</button>}
            </div>
            <div class="does">
                {permissionNames.map((permission) => {
                    const has = person.permissions[permission];
                    const done = t(`admin.${has ? 'revoked' : 'granted'}_${permission}`, { name });
                    // The service refuses to take it from oneself.
                    return !(isOneself && permission === 'staff') && (
                        <button key={permission} type="button" class="quiet" onClick={() => (permission === 'staff' && !has ? setOpen('staff') : at(() => client.admin[has ? 'revoke' : 'grant'](person, permission), done))}>
                            {t(`admin.${has ? 'revoke' : 'grant'}_${permission}`, { name })}
                        </button>
                    );
                })}
            </div>
            {open === 'password' && (
                <Confirm title={t('admin.reset', { name })} text={t('admin.reset_text')} action={t('admin.new_password')} onClose={close} onConfirm={async () => {
                    setPassword(await client.admin.resetPassword(person));
                    say(t('admin.reset_done', { name }));
                    close();
                }} />
            )}
            {open === 'suspend' && <Suspend name={name} suspend={async (reason, until) => onChange(await client.admin.suspend(person, reason, until))} onClose={close} />}
            {open === 'remove' && (
                <Confirm title={t('admin.remove', { name })} text={t('admin.remove_text')} action={t('admin.remove_do')} onClose={close} onConfirm={async () => {
                    onChange(await client.admin.remove(person));
                    say(t('admin.removed', { name }));
                    close();
                }} />
            )}
            {open === 'staff' && (
                <Confirm title={t('admin.grant_staff', { name })} text={t('admin.grant_staff_text')} action={t('admin.grant_do')} onClose={close} onConfirm={async () => {
                    onChange(await client.admin.grant(person, 'staff'));
                    say(t('admin.granted_staff', { name }));
                    close();
                }} />
            )}
        </>
    );
}
