import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Client, ListedInvitation, Member, NewInvitation, ProjectPlace } from '../../client/src/index.js';
import { memberRoles } from '../../src/api/representations/roles';
import { pageLocale } from '../region';
import { memberRoleOf } from '../ui/choices';
import { QrPicture } from '../ui/qr';
import type { Translate } from '../../src/site/text-options';

/** How many can join by a code unless the author says otherwise: a class. */
const CLASS = 30;

const intoView = (node: Element | null): void => node?.scrollIntoView({ block: 'nearest' });

interface InvitationsProps {
    t: Translate;
    client: Client;
    project: ProjectPlace;
    /** changes with the members: then the list is read again */
    members: readonly Member[];
    /** Does something, and shows its result, or the error. What is shown stays if there is nothing to say. */
    attempt(work: () => Promise<string | void>): void;
}

/** Codes that others can join by: the new one as an address and a picture for cameras, and those that still work, with who came by them. */
export function Invitations({ t, client, project, members, attempt }: InvitationsProps): JSX.Element {
    const [made, setMade] = useState<NewInvitation>();
    const [all, setAll] = useState<ListedInvitation[]>([]);
    const read = async (): Promise<void> => setAll(await client.members.invitations(project));
    useEffect(() => attempt(read), [members]);
    const address = made === undefined ? '' : new URL(`/account/join#${made.code}`, location.origin).href;
    return (
        <>
            <h3>{t('editor.invitation')}</h3>
            <p>{t('editor.invitation_means')}</p>
            <form
                class="row-form" onSubmit={(event) => {
                    event.preventDefault();
                    const data = new FormData(event.currentTarget);
                    attempt(async () => {
                        setMade(await client.members.invite(project, { role: memberRoleOf(data.get('role')), uses: Number(data.get('uses')) }));
                        await read();
                        return t('editor.invitation_made');
                    });
                }}
            >
                <label class="field"><span>{t('editor.role')}</span><select name="role">{memberRoles.map((one) => <option key={one} value={one}>{t(`editor.role_${one}`)}</option>)}</select></label>
                <label class="field"><span>{t('editor.uses')}</span><input name="uses" type="number" min={1} max={100} defaultValue={String(CLASS)} required /></label>
                <button class="small">{t('editor.make_code')}</button>
            </form>
            {made !== undefined && (
                <div class="row-form code" key={made.id} ref={intoView}>
                    <QrPicture address={address} size={192} alt={t('editor.code_picture')} />
                    <div class="code-words">
                        <label class="field wide"><span>{t('editor.code_address')}</span><input readOnly value={address} dir="ltr" onFocus={({ currentTarget }) => currentTarget.select()} /></label>
                        <button type="button" class="small" onClick={() => attempt(async () => {
                            await navigator.clipboard.writeText(address);
                            return t('editor.code_copied');
                        })}>{t('editor.code_copy')}</button>
                        <label class="field wide"><span>{t('editor.code')}</span><input readOnly value={made.code} dir="ltr" onFocus={({ currentTarget }) => currentTarget.select()} /></label>
                    </div>
                </div>
            )}
            {all.length > 0 && (
                <ul class="rows">
                    {all.map((one) => (
                        <li key={one.id}>
                            <span class="row-text">
                                <strong>{t(`editor.role_${String(one.role)}`)}</strong>{' '}
                                <span>{t('editor.code_left', { count: one.uses, time: new Intl.DateTimeFormat(pageLocale(), { dateStyle: 'medium' }).format(new Date(one.expires_at)) })}</span>
                                {one.joined.length > 0 && <span>{' '}{t('editor.code_joined', { names: one.joined.map(({ username }) => username).join(', ') })}</span>}
                            </span>
                            <button
                                type="button" class="quiet small danger" onClick={() => attempt(async () => {
                                    await client.members.withdraw(project, one);
                                    setMade((before) => (before?.id === one.id ? undefined : before));
                                    await read();
                                    return t('editor.invitation_withdrawn');
                                })}
                            >{t('editor.withdraw')}</button>
                        </li>
                    ))}
                </ul>
            )}
        </>
    );
}
