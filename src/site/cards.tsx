import type { JSX } from 'preact';

import type { PageContext } from './context';
import { Face } from './face';
import { titleIn } from './shown';
import type { ShownList, ShownProject } from './shown';

interface PictureProps {
    project: ShownProject;
    thumbnail: string | undefined;
    isFirst: boolean;
}

/** Colours of the pictures of projects that have none yet, as `web/style.css` names them. */
const COLOURS = 6;

const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The picture of a project: its thumbnail, or its first letter until the service has made one. It has no alternative text, since the title
 * stands below it.
 */
export function Picture({ project: { id, title }, thumbnail, isFirst }: PictureProps): JSX.Element {
    if (thumbnail !== undefined) {
        return <img class="picture" src={thumbnail} alt="" width="320" height="480" loading={isFirst ? 'eager' : 'lazy'} decoding="async" />;
    }

    return <div class={`picture blank shade-${Number(BigInt(id) % BigInt(COLOURS))}`} aria-hidden="true">{letters.segment(title.trim()).containing(0)?.segment}</div>;
}

interface CardsProps {
    page: PageContext;
    list: ShownList;
    /** whether it is the first thing on its page, so that its pictures are loaded at once */
    isFirst?: boolean;
    /** whether it is the beginning of a list, without empty places */
    isFew?: boolean;
}

/** Projects with their pictures. */
export function Cards({ page, list: { projects, thumbnails }, isFirst = false, isFew = false }: CardsProps): JSX.Element {
    const { t, href } = page;
    return (
        <ul class={isFew ? 'cards few' : 'cards'}>
            {projects.map((project) => (
                <li key={project.id} class="card">
                    <a class="cover" href={href(`/p/${project.id}`)}>
                        <Picture project={project} thumbnail={thumbnails.get(project.id)} isFirst={isFirst} />
                        <span class="title"><bdi>{titleIn(t, project.title)}</bdi></span>
                    </a>
                    <p class="by"><a href={href(`/u/${encodeURIComponent(project.author.username)}`)}><Face username={project.author.username} size={24} /> <bdi>{project.author.username}</bdi></a></p>
                    <p class="counts">{t('card.views', { count: project.stats.views })} · {t('card.remixes', { count: project.stats.remixes })}</p>
                </li>
            ))}
        </ul>
    );
}

interface TagsProps {
    page: PageContext;
    tags: readonly string[];
}

/** Links to the projects of tags. */
export function Tags({ page: { href }, tags }: TagsProps): JSX.Element {
    return <ul class="tags">{tags.map((tag) => <li key={tag}><a href={href(`/tags/${encodeURIComponent(tag)}`)}>#<bdi>{tag}</bdi></a></li>)}</ul>;
}
