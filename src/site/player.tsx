import type { ComponentChildren, JSX } from 'preact';

import type { LinkTarget } from '../../client/src/render';
import { Tags } from './cards';
import type { PageContext } from './context';
import { Heart } from './conversation';
import { Face } from './face';
import type { Visibility } from '../api/representations/visibility';
import { reportReasons } from '../community/report-reasons';
import { Sheet } from './sheet';
import { neighboursOf, titleIn } from './shown';
import type { PageOnGrid, ShownPage, ShownProject, RemixSource } from './shown';

interface StageProps {
    page: PageContext;
    project: Pick<ShownProject, 'id' | 'title' | 'user_id'> & { author: { username: string } };
    /** all of its pages, in reading order */
    places: readonly PageOnGrid[];
    shown: ShownPage | null;
    /** what follows the addresses of pages: `/embed` in the frames of other sites */
    suffix?: string;
    /** the address of an asset, if it is not the service that has it */
    assetAt?: (hash: string) => string;
}

/** How many times wider than 320 pixels a page is played. */
export const SCALE = 1.5;

/** The addresses that links of a page lead to. */
export function linksFrom(project: string, suffix: string, href: (path: string) => string): (target: LinkTarget) => string | undefined {
    return ({ projectId, pageId }) => {
        const target = projectId ?? (pageId === null ? null : project);
        return target === null ? undefined : href(pageId === null ? `/p/${target}${suffix}` : `/p/${target}/${pageId}${suffix}`);
    };
}

/** The page that is shown, and links to the pages around it. No script is needed to play. */
export function Stage({ page: { t, href }, project, places, shown, suffix = '', assetAt }: StageProps): JSX.Element {
    const address = (id: string): string => href(`/p/${project.id}/${id}${suffix}`);
    if (shown === null) {
        return <div class="stage"><p class="message">{t('player.empty')}</p></div>;
    }

    const ways = neighboursOf(places, shown.id);
    const label = t('player.page_number', { number: ways.number, all: places.length });
    const way = (name: 'left' | 'up' | 'down' | 'right', key: string, sign: string): JSX.Element | null => {
        const to = ways[name];
        return to === undefined ? null : <a class={`way ${name}`} href={address(to.id)} data-key={key} aria-label={t(`player.${name}`)} aria-describedby="page-number"><span aria-hidden="true">{sign}</span></a>;
    };

    return (
        <div class="stage">
            {shown.missing === undefined ? <div class="sheet" role="group" aria-label={label} tabIndex={-1}><Sheet page={shown} t={t} linkUrl={linksFrom(project.id, suffix, href)} scale={SCALE} assetAt={assetAt} /></div> : <Unshown t={t} project={project} shown={shown} suffix={suffix} label={label} />}
            {places.length > 1 && (
                <nav class="ways" dir="ltr" aria-label={t('player.pages')}>
                    {way('left', 'ArrowLeft', '←')}
                    {way('up', 'ArrowUp', '↑')}
                    <span class="number" id="page-number" dir="auto">{t('player.number', { number: ways.number, all: places.length })}</span>
                    {way('down', 'ArrowDown', '↓')}
                    {way('right', 'ArrowRight', '→')}
                </nav>
            )}
        </div>
    );
}

interface UnshownProps extends Required<Pick<StageProps, 'suffix'>> {
    t: PageContext['t'];
    project: StageProps['project'];
    shown: ShownPage;
    label: string;
}

/** In the place of a page that is no part of the HTML. The script `web/player/late-sheet.tsx` shows it if a browser can. */
function Unshown({ t, project, shown: { id, missing }, suffix, label }: UnshownProps): JSX.Element {
    if (missing === 'too large') {
        return <p class="message">{t('player.too_large')}</p>;
    }

    return (
        <div class="sheet" role="group" aria-label={label} tabIndex={-1} data-late={`/users/${project.user_id}/projects/${project.id}/pages/${id}`} data-project={project.id} data-suffix={suffix} data-failed={t('player.failed')}>
            <p class="loading" role="status">{t('page.loading')}</p>
            <noscript><p class="message">{t('player.needs_script')}</p></noscript>
        </div>
    );
}

interface PlayerProps extends StageProps {
    project: ShownProject;
    source: RemixSource | undefined;
    /** what the author is told of a project that is held */
    warning?: ComponentChildren;
    /** {@link Publish}, for a project that can be published */
    publish: ComponentChildren;
}

interface FactsProps {
    page: PageContext;
    project: Pick<ShownProject, 'title' | 'description' | 'tags'> & { author: Pick<ShownProject['author'], 'username' | 'nameInClass'> };
    source: RemixSource | undefined;
}

/** A project's facts: who made it, and from what. */
export function Facts({ page, project: { title, description, tags, author }, source }: FactsProps): JSX.Element {
    const { t, href } = page;
    return (
        <>
            <h1><bdi>{titleIn(t, title)}</bdi></h1>
            <p>{t('player.by')} <a href={href(`/u/${encodeURIComponent(author.username)}`)}><Face username={author.username} size={24} /><bdi>{author.nameInClass ?? author.username}</bdi></a></p>
            {source !== undefined && <p class="source"><Credit page={page} source={source} /></p>}
            {description !== '' && <p class="description" dir="auto">{description}</p>}
            {tags.length > 0 && <Tags page={page} tags={tags} />}
        </>
    );
}

/** The player, with the author of the project, its source, and what can be done with it. */
export function Player({ source, warning, publish, ...stage }: PlayerProps): JSX.Element {
    const { page, page: { t, href, path }, project } = stage;
    const { id, stats } = project;
    return (
        <article class="player">
            <Stage {...stage} />
            <div class="about">
                <Facts page={page} project={project} source={source} />
                {warning}
                <p class="counts">{t('card.views', { count: stats.views })} · {t('card.remixes', { count: stats.remixes })}
                    <span class="likes" /></p>
                <div class="actions" data-project={id} data-author={project.user_id}>
                    <a class="button" data-action="edit" href={href(`/edit/${id}`)}>{t('player.edit')}</a>
                    <a class="button" data-action="remix" href={href(`/sign-in?back=${encodeURIComponent(path)}`)}>{t('player.remix')}</a>
                    <button type="button" class="quiet like" data-action="like" aria-pressed="false" hidden>
                        <Heart />{t('player.like')}</button>
                    <button type="button" class="quiet" data-action="full-screen" data-end={t('player.full_end')} hidden>{t('player.full')}</button>
                </div>
                {publish}
                <p class="told" role="status" tabIndex={-1} data-failed={t('player.failed')} data-published={t('player.published')} data-remixing={t('player.remixing')} data-reported={t('player.reported')} data-released={t('moderation.released', { title: project.title })} />
                <details class="report">
                    <summary>{t('player.report')}</summary>
                    <form data-report={id}>
                        <label>{t('player.reason')} <select name="reason" required><option value="">{t('player.choose_reason')}</option>{reportReasons.map((reason) => <option key={reason} value={reason}>{t(`player.reason_${reason}`)}</option>)}</select></label>
                        <label>{t('player.reason_text')} <textarea name="text" maxLength={1000} rows={3} /></label>
                        <button type="submit">{t('player.send_report')}</button>
                    </form>
                </details>
                <p class="for-moderators moderate">
                    {project.held !== undefined && <button type="button" class="quiet" data-action="release">{t('moderation.release')}</button>}
                    <a class="button quiet" href={href(`/moderation?view=project&id=${id}&act=suspend`)}>{t('moderation.suspend_name', { name: project.author.username })}</a>
                    <a class="button quiet" href={href(`/moderation?view=project&id=${id}`)}>{t('page.moderation')}</a>
                </p>
            </div>
        </article>
    );
}

/** The button of a project's author that publishes it, if it is not public. */
export function Publish({ page: { t }, visibility }: { page: PageContext; visibility: Exclude<Visibility, 'public'> }): JSX.Element {
    return (
        <details class="publish">
            <summary>{t('player.publish')}</summary>
            <p>{t(`player.now_${visibility}`)} {t('player.publish_means')}</p>
            <button type="button">{t('player.publish_now')}</button>
        </details>
    );
}

/** The source of a remix, as far as the reader may know it. */
function Credit({ page: { t, href }, source: { id, title, author, available } }: { page: PageContext; source: RemixSource }): JSX.Element {
    if (title === undefined) {
        return <>{t('player.remix_of_hidden')}</>;
    }

    return (
        <>
            {t('player.remix_of')} {available ? <a href={href(`/p/${id}`)}><bdi>{title}</bdi></a> : <bdi>{title}</bdi>}
            {author && <> ({t('player.by')} <a href={href(`/u/${encodeURIComponent(author.username)}`)}><Face username={author.username} size={24} /><bdi>{author.username}</bdi></a>)</>}
        </>
    );
}

/** The player alone, in a frame of another site. */
export function EmbeddedPlayer(stage: StageProps): JSX.Element {
    const { page: { t, origin, place }, project: { id, title, author } } = stage;
    return (
        <main class="embedded">
            <Stage {...stage} suffix="/embed" />
            <h1 class="caption"><a href={`${origin}/p/${id}`} target="_blank" rel="noopener"><bdi>{titleIn(t, title)}</bdi></a> {t('player.by')} <bdi>{author.username}</bdi> · {place.name}</h1>
        </main>
    );
}
