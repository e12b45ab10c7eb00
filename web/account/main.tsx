import '../ui/people.css';

import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { href, useKit } from '../ui/kit';
import { startPage } from '../ui/start';
import { ConfirmAddress } from './address';
import { Apps } from './apps';
import { placeToReturn } from '../sign-in/back';
import { Blocked } from './blocked';
import { OwnCollections } from './collections';
import { Decisions } from './decisions';
import { Enter, SignedIn } from '../sign-in/enter';
import { Files } from './files';
import { FirstProject } from './first-project';
import { Identities } from './identities';
import { NewPassword } from '../sign-in/new-password';
import { Notices } from './notices';
import { place } from '../ui/place';
import { Profile } from './profile';
import { OwnProjects } from './projects';
import { Sessions } from './sessions';
import { useSignOut } from './sign-out';
import { Join, SharedProjects } from './shared';
import { Passkeys } from './passkeys';
import { FromProvider } from '../sign-in/providers';
import { PersonalTokens } from './tokens';
import { OwnTrash } from './trash';
import { OwnWebhooks } from './webhooks';

/** The parts of the account, each with an address of its own. */
const parts: Readonly<Record<string, ComponentType>> = {
    projects: OwnProjects, shared: SharedProjects, collections: OwnCollections, trash: OwnTrash, files: Files, notices: Notices,
    decisions: Decisions, blocked: Blocked,
    sessions: Sessions, passkeys: Passkeys, identities: Identities, profile: Profile, tokens: PersonalTokens, apps: Apps,
    webhooks: OwnWebhooks
};

/** Those that stand below *For developers*. */
const forDevelopers: readonly string[] = ['tokens', 'apps', 'webhooks'];

/** Whether people can sign in by other providers too. */
const hasIdentities = (): boolean => place().issuer === null && place().providers.length > 0;

function Account({ part }: { part: string }): JSX.Element {
    const { t } = useKit();
    const Part = parts[part] ?? OwnProjects;
    const [ask, question] = useSignOut(href('/'));
    const [isOpen, setOpen] = useState(false);
    const link = (each: string): JSX.Element => <li key={each} class={each === 'projects' ? undefined : 'later'}><a href={href(`/account/${each}`)} aria-current={each === part ? 'page' : undefined}>{t(`account.${each}`)}</a></li>;
    useEffect(() => {
        document.title = `${t(`account.${part}`)} · ${document.title.split(' · ').at(-1)}`;
    }, []);
    return (
        <div class="account">
            <nav class={isOpen ? 'open' : undefined} aria-label={t('account.title')}>
                <ul>
                    {Object.keys(parts).filter((each) => (each !== 'identities' || hasIdentities()) && !forDevelopers.includes(each)).map(link)}
                    <li class="later"><a href={href('/feed')}>{t('feed.title')}</a></li>
                    <li><a href={href('/classes')}>{t('classes.title')}</a></li>
                    <li class="later not-for-pupils">
                        <details open={forDevelopers.includes(part)}>
                            <summary>{t('account.for_developers')}</summary>
                            <ul>{forDevelopers.map(link)}</ul>
                        </details>
                    </li>
                    <li>
                        <button type="button" class="plain" onClick={() => void ask()}>{t('account.sign_out')}</button>
                    </li>
                    <li class="more">
                        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{t('page.more')}</button>
                    </li>
                </ul>
            </nav>
            <div class="part-of">
                <h1>{t(`account.${part}`)}</h1>
                <Part />
            </div>
            {question}
        </div>
    );
}

function Way({ start }: { start: 'sign-in' | 'sign-up' }): JSX.Element {
    const [isNew, setNew] = useState(false);
    return isNew ? <FirstProject /> : (
        <Enter start={start} onEntered={(how) => {
            const back = placeToReturn();
            if (back === null && how === 'sign-up') {
                setNew(true);
            }
            else {
                // The address of a pupil's sheet leads to the class; a new password has a name too.
                const isSheet = location.hash !== '' && !new URLSearchParams(location.search).has('of');
                location.assign(back ?? href(isSheet ? '/classes' : '/'));
            }
        }} />
    );
}

function App(): JSX.Element {
    const [, page = '', part = ''] = location.pathname.split('/');
    const { t } = useKit();
    if (page === 'sign-in' && part !== '') {
        return <FromProvider provider={part} />;
    }

    if (page === 'new-password') {
        return <NewPassword />;
    }

    if (page !== 'account') {
        return <Way start={page === 'sign-up' ? 'sign-up' : 'sign-in'} />;
    }

    if (part === 'confirm') {
        return <SignedIn text={t('address.sign_in_first')}><ConfirmAddress /></SignedIn>;
    }

    return part === 'join' ? <SignedIn text={t('shared.join_first')}><Join /></SignedIn> : <SignedIn><Account part={part in parts ? part : 'projects'} /></SignedIn>;
}

void startPage(App);
