import type { JSX } from 'preact';

import type { Config } from '../config';
import type { EntryName } from './built-files';
import type { PageContext } from './context';

/** A page that a script fills in. */
export interface Shell {
    /** the path, as a route has it */
    path: string;
    script: EntryName;
    /** the key of its title */
    title: string;
    /** whether it fills the window, without the header and the footer of the site */
    bare?: boolean;
    /** whether sounds are recorded there */
    records?: boolean;
    /** whether it is there only if apps can sign people in */
    ofApps?: boolean;
    /** whether it is there only if the service sends mail */
    ofMail?: boolean;
}

export const shells: readonly Shell[] = [
    { path: '/edit/{project}', script: 'web/editor/main.tsx', title: 'editor.title', bare: true, records: true },
    { path: '/account', script: 'web/account/main.tsx', title: 'account.title' },
    { path: '/account/{part*}', script: 'web/account/main.tsx', title: 'account.title' },
    { path: '/sign-in', script: 'web/account/main.tsx', title: 'account.sign_in' },
    { path: '/sign-in/{provider}', script: 'web/account/main.tsx', title: 'account.sign_in' },
    { path: '/sign-up', script: 'web/account/main.tsx', title: 'account.sign_up' },
    { path: '/new-password', script: 'web/account/main.tsx', title: 'password.title', ofMail: true },
    { path: '/moderation', script: 'web/moderation/main.tsx', title: 'moderation.title' },
    { path: '/admin', script: 'web/admin/main.tsx', title: 'admin.title' },
    { path: '/classes', script: 'web/classes/main.tsx', title: 'classes.title' },
    { path: '/class/{class_id}', script: 'web/classes/main.tsx', title: 'classes.title' },
    { path: '/feed', script: 'web/people/feed.tsx', title: 'feed.title' },
    { path: '/oauth/consent/{uid}', script: 'web/consent/main.tsx', title: 'consent.title', ofApps: true },
    { path: '/device', script: 'web/consent/main.tsx', title: 'device.title', ofApps: true }
];

interface ShellProps {
    page: PageContext;
    config: Pick<Config, 'auth' | 'mail' | 'signIn' | 'signUp' | 'teachers'>;
}

/** An attribute of HTML that the types of JSX know as a property only, which is not written into a page. */
const untranslated: object = { translate: 'no' };

/** The content until the script has run, and if it does not run. Its attributes tell the script how accounts work here. A browser's translator would take apart what the script draws and people edit. */
export function ShellContent({ page: { t, place }, config: { auth, mail, signIn, signUp, teachers } }: ShellProps): JSX.Element {
    return (
        <div id="root" {...untranslated} data-sign-up={signUp} data-issuer={auth.provider === 'local' ? undefined : auth.issuer} data-providers={signIn.providers.length === 0 ? undefined : JSON.stringify(signIn.providers.map(({ id, name }) => ({ id, name })))} data-rules={place.rules || undefined} data-teachers={teachers === 'open' ? teachers : undefined} data-mail={mail === null ? undefined : 'on'}>
            <p class="loading" role="status">{t('page.loading')}</p>
            <noscript><p>{t('page.needs_script')}</p></noscript>
        </div>
    );
}

/** A text of the operators. @param html of {@link readPlaceText}, in which only the Markdown has made tags */
export function Text({ title, html }: { title: string; html: string }): JSX.Element {
    return (
        <article class="place-text">
            <h1>{title}</h1>
            <div dir="auto" dangerouslySetInnerHTML={{ __html: html }} />
        </article>
    );
}

/** Shown instead of something that does not exist or is not for everybody. */
export function NotFound({ page: { t, href }, hidden = false }: { page: PageContext; hidden?: boolean }): JSX.Element {
    return (
        <div class="message" hidden={hidden}>
            <h1>{t('missing.title')}</h1>
            <p>{t('missing.text')}</p>
            <p class="ways-in"><a class="button" href={href('/')}>{t('missing.back')}</a> <a class="button quiet" href={href('/browse/new')}>{t('list.newest')}</a></p>
        </div>
    );
}

/** Shown instead of a project that not everybody may see: until a script knows whether it is for whoever is here, it says that it looks. */
export function MaybeOwn({ page }: { page: PageContext }): JSX.Element {
    return (
        <>
            <p class="loading finding" role="status">{page.t('player.finding')}</p>
            <NotFound page={page} hidden />
            <noscript><NotFound page={page} /></noscript>
        </>
    );
}

interface RefusedProps {
    page: PageContext;
    /** what is wrong, for the author of the app */
    reason: string;
    /** whether it was right, but is so no more */
    isOver: boolean;
}

/** Shown if an app asks for something that cannot be. */
export function Refused({ page: { t, href }, reason, isOver }: RefusedProps): JSX.Element {
    return (
        <div class="message">
            <h1>{t('authorization.title')}</h1>
            <p>{t(isOver ? 'authorization.expired' : 'authorization.text')}</p>
            <p class="counts">{t('authorization.reason', { error: reason })}</p>
            <p><a class="button" href={href('/')}>{t('missing.back')}</a></p>
        </div>
    );
}

/** Shown after an error of the service. @param id of the request, as in the log */
export function Failed({ page: { t, href }, id }: { page: PageContext; id: string }): JSX.Element {
    return (
        <div class="message">
            <h1>{t('failed.title')}</h1>
            <p>{t('failed.text')}</p>
            <p class="counts">{t('failed.number', { id })}</p>
            <p><a class="button" href={href('/')}>{t('missing.back')}</a></p>
        </div>
    );
}
