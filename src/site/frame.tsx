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
            <nav class="session" aria-label={t('page.account')} data-account={href('/account')} data-account-label={t('page.your_account')} data-moderation={href('/moderation')} data-moderation-label={t('page.moderation')} data-admin={href('/admin')} data-admin-label={t('page.admin')} data-classes={href('/classes')} data-classes-label={t('page.classes')} data-feed={href('/feed')} data-feed-label={t('feed.title')} data-new={t('page.new_project')} data-new-address={href('/account?new=1')}>
                <a href={href(`/sign-in?back=${encodeURIComponent(path)}`)}>{t('page.sign_in')}</a>
            </nav>
        </header>
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
export function Footer({ page: { t, href, path, language }, texts }: FrameProps & { texts: readonly PlaceText[] }): JSX.Element {
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
                    <li><a href={href('/docs')}>{t('page.api')}</a></li>
                </ul>
            </nav>
        </footer>
    );
}
