import type { JSX } from 'preact';

import type { BuiltFiles } from './built-files';
import type { PageContext } from './context';
import { languageNames } from './languages';
import type { PlaceText } from './place-texts';

interface FrameProps {
    page: PageContext;
}

/** The top of each page: logo and name of the place, search, and who is signed in, which a script adds. */
export function Header({ page, logo, query }: FrameProps & { logo: BuiltFiles['logo']; query: string }): JSX.Element {
    const { t, href, place, path } = page;
    return (
        <header class="top">
            <a class="brand" href={href('/')}>
                {logo !== undefined && <img class="logo" src={`/site/${logo.file}`} alt="" width={logo.width} height={logo.height} />}
                <bdi>{place.name}</bdi>
            </a>
            <form class="search" role="search" action="/find">
                <input type="search" name="q" value={query} maxLength={200} required pattern=".*\S.*" aria-label={t('page.search')} placeholder={t('page.search')} />
                <Chosen page={page} />
                <button type="submit">{t('page.find')}</button>
            </form>
            {page.isArchived !== true && <Bell page={page} />}
            <nav class="session" aria-label={t('page.account')} data-account={href('/account')} data-account-label={t('page.your_account')} data-moderation={href('/moderation')} data-moderation-label={t('page.moderation')} data-admin={href('/admin')} data-admin-label={t('page.admin')} data-classes={href('/classes')} data-classes-label={t('page.classes')} data-feed={href('/feed')} data-feed-label={t('feed.title')} data-new={t('page.new_project')} data-new-address={href('/account?new=1')} data-more-label={t('page.more')}>
                <a href={href(`/sign-in?back=${encodeURIComponent(path)}`)}>{t('page.sign_in')}</a>
            </nav>
        </header>
    );
}

/** Leads to the notices of whoever is signed in. A script says how many are unread. */
function Bell({ page: { t, href } }: FrameProps): JSX.Element {
    return (
        <a class="bell" href={href('/account/notices')} aria-label={t('page.notices')} title={t('page.notices')} data-unread={t('page.notices_unread', { number: '#' })}>
            <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M12 3a6 6 0 0 0-6 6c0 5-2 7-2 8h16c0-1-2-3-2-8a6 6 0 0 0-6-6zM10 20a2 2 0 0 0 4 0" /></svg>
            <b />
        </a>
    );
}

/** A line below the top of a page, which a script fills if there is no network. */
export function NetworkLine({ page: { t } }: FrameProps): JSX.Element {
    return <p class="network" role="status" data-words={t('page.offline')} />;
}

/** Keeps the language that was chosen when a form is sent. */
function Chosen({ page: { href, language } }: FrameProps): JSX.Element | null {
    return href('/') === '/' ? null : <input type="hidden" name="lang" value={language} />;
}

/** The bottom of each page: languages and links. */
export function Footer(
    { page: { t, href, path, language, isArchived }, texts }: FrameProps & { texts: readonly PlaceText[] }
): JSX.Element {
    return (
        <footer class="bottom">
            <nav aria-label={t('page.languages')}>
                <ul>
                    {Object.entries(languageNames).map(([code, name]) => (
                        <li key={code}><a href={`${path}${path.includes('?') ? '&' : '?'}lang=${code}`} lang={code} hrefLang={code} aria-current={code === language ? 'true' : undefined} data-language={code}>{name}</a></li>
                    ))}
                </ul>
            </nav>
            <nav aria-label={t('page.more')}>
                <ul>
                    {texts.map((name) => <li key={name}><a href={href(`/${name}`)}>{t(`page.${name}`)}</a></li>)}
                    {isArchived !== true && <li><a href={href('/transparency')}>{t('page.transparency')}</a></li>}
                    <li><a href={href('/docs')}>{t('page.api')}</a></li>
                </ul>
            </nav>
        </footer>
    );
}
