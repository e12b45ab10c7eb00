import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Member, Upstream } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { memberRoles } from '../../src/api/representations/roles';
import { memberRoleOf, useVisibilities } from '../ui/choices';
import { Face } from '../../src/site/face';
import { Invitations } from './invitations.js';
import { PageAddress } from '../ui/page-address.js';
import { Dialog } from './dialog.js';
import type { Editor } from './editor.js';
import { wordsOfError } from './error-words.js';

interface ShareProps {
    editor: Editor;
    close: () => void;
}

/** Who sees the project, and who writes in it. Only its author changes that. */
export function ShareDialog({ editor, close }: ShareProps): JSX.Element {
    const { t, client, doc: { project }, role } = editor;
    const [members, setMembers] = useState<Member[]>([]);
    const [visibility, setVisibility] = useState(project.visibility);
    const [message, setMessage] = useState('');
    const attempt = (work: () => Promise<string | void>): void => void work().then((said) => said !== undefined && setMessage(said), (error: unknown) => setMessage(wordsOfError(error, editor.t)));
    const read = async (): Promise<void> => setMembers(await client.members.list(project));
    useEffect(() => {
        attempt(read);
    }, []);
    const isOwner = role === 'owner';
    const offered = useVisibilities();
    const address = new URL(`/p/${project.id}`, location.origin).href;
    return (
        <Dialog title={t('editor.share')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message}</p>
            {isOwner && offered.length > 1 && (
                <fieldset>
                    <legend>{t('editor.visibility')}</legend>
                    {offered.map((one) => (
                        <label key={one} class="radio">
                            <input
                                type="radio" name="visibility" checked={visibility === one} onChange={() => {
                                    setVisibility(one);
                                    attempt(async () => {
                                        await editor.saving.settled();
                                        await client.save([{ type: 'projects', method: 'update', base: editor.doc.project, data: { visibility: one } }]).catch((error: unknown) => {
                                            setVisibility(project.visibility);
                                            throw error;
                                        });
                                        await editor.saving.refresh();
                                        return t('editor.visibility_changed');
                                    });
                                }}
                            />
                            <span><strong>{t(`editor.visibility_${one}`)}</strong> {t(`editor.visibility_${one}_means`)}</span>
                        </label>
                    ))}
                </fieldset>
            )}
            {visibility === 'private' ? isOwner && <p class="hint">{t(offered.length > 1 ? 'editor.share_private' : 'error.publish_bound')}</p> : <PageAddress t={t} address={address} title={project.title} />}
            <h3>{t('editor.members')}</h3>
            {members.length === 0 && <p>{t('editor.no_members')}</p>}
            <ul class="rows">
                {members.map(({ user: { username }, role: theirs }) => (
                    <li key={username}>
                        <Face username={username} size={32} />
                        <span class="row-text"><strong><bdi>{username}</bdi></strong></span>
                        {isOwner ? (
                            <span class="choices">
                                <select
                                    aria-label={t('editor.role_of', { name: username })} value={theirs} onChange={({ currentTarget: { value } }) => attempt(async () => {
                                        await client.members.put(project, username, memberRoleOf(value));
                                        await read();
                                        return t('editor.member_changed', { name: username });
                                    })}
                                >{memberRoles.map((one) => <option key={one} value={one}>{t(`editor.role_${one}`)}</option>)}</select>
                                <button
                                    type="button" class="quiet small danger" aria-label={t('editor.remove_member', { name: username })} onClick={() => attempt(async () => {
                                        await client.members.remove(project, username);
                                        await read();
                                        return t('editor.member_removed', { name: username });
                                    })}
                                >{t('editor.remove')}</button>
                            </span>
                        ) : <span>{t(`editor.role_${theirs}`)}</span>}
                    </li>
                ))}
            </ul>
            {isOwner && (
                <>
                    <form
                        class="row-form" onSubmit={(event) => {
                            event.preventDefault();
                            const form = event.currentTarget;
                            const data = new FormData(form);
                            attempt(async () => {
                                await client.members.put(project, String(data.get('username')).trim(), memberRoleOf(data.get('role')));
                                await read();
                                form.reset();
                                return t('editor.member_added');
                            });
                        }}
                    >
                        <label class="field"><span>{t('editor.username')}</span><input name="username" required dir="auto" autocomplete="off" autocapitalize="none" /></label>
                        <label class="field"><span>{t('editor.role')}</span><select name="role">{memberRoles.map((one) => <option key={one} value={one}>{t(`editor.role_${one}`)}</option>)}</select></label>
                        <button class="small">{t('editor.let_in')}</button>
                    </form>
                    <Invitations t={t} client={client} project={project} members={members} attempt={attempt} />
                </>
            )}
        </Dialog>
    );
}

/** The changes of a remix's source, and the button that takes them over. */
export function SourceDialog({ editor, close }: ShareProps): JSX.Element {
    const { t, client, doc: { project } } = editor;
    const [upstream, setUpstream] = useState<Upstream>();
    const [message, setMessage] = useState('');
    const [conflicts, setConflicts] = useState(0);
    useEffect(() => {
        client.remixes.upstream(project).then(setUpstream, (error: unknown) => setMessage(wordsOfError(error, editor.t)));
    }, []);

    const pull = async (take?: 'ours' | 'theirs'): Promise<void> => {
        try {
            await editor.saving.settled();
            const { change } = await client.remixes.pull(project, take === undefined ? {} : { take });
            await editor.saving.refresh();
            editor.say(t(change === null ? 'editor.nothing_to_pull' : 'editor.pulled'));
            close();
        }
        catch (error) {
            const found = fieldOf(error, 'mergeConflicts');
            setConflicts(Array.isArray(found) ? found.length : 0);
            setMessage(Array.isArray(found) && found.length > 0 ? t('editor.pull_conflicts', { count: found.length }) : wordsOfError(error, editor.t));
        }
    };

    const isSame = upstream !== undefined && upstream.changes.length === 0;
    return (
        <Dialog title={t('editor.source')} closeLabel={t('editor.close')} close={close}>
            <p role="status">{message !== '' ? message : upstream === undefined ? t('page.loading') : isSame ? t('editor.nothing_to_pull') : t('editor.source_changed', { count: upstream.changes.length })}</p>
            <div class="choices">
                {conflicts > 0 ? (['ours', 'theirs'] as const).map((take) => <button key={take} type="button" class="small" onClick={() => void pull(take)}>{t(take === 'ours' ? 'editor.take_ours' : 'editor.take_theirs_all')}</button>) :
                    upstream !== undefined && !isSame && <button type="button" class="small" onClick={() => void pull()}>{t('editor.pull')}</button>}
            </div>
        </Dialog>
    );
}
