import type { ComponentChildren, JSX } from 'preact';

import { Cards, Tags } from './cards';
import type { PageContext } from './context';
import type { ShownList } from './shown';

interface GalleryProps {
    page: PageContext;
    lists: readonly { name: 'featured' | 'trending' | 'new'; list: ShownList }[];
    tags: readonly string[];
    hasModerator: boolean;
}

/** The first page: featured, trending and new projects. */
export function Gallery({ page, lists, tags, hasModerator }: GalleryProps): JSX.Element {
    const { t, href, place } = page;
    const shown = lists.filter(({ list }) => list.projects.length > 0);
    return (
        <>
            <section class="welcome">
                <h1>{place.welcome === '' ? t('gallery.title') : <bdi>{place.name}</bdi>}</h1>
                {place.welcome === '' ? <p>{t('gallery.text')}</p> : <p class="description" dir="auto">{place.welcome}</p>}
                <p><a class="button" href={href('/account?new=1')}>{t('gallery.begin')}</a></p>
                {!hasModerator && <p class="hint"><a href={href('/welcome')}>{t('first.hint')}</a></p>}
            </section>
            {shown.map(({ name, list }, index) => (
                <section key={name} aria-labelledby={name}>
                    <div class="heading">
                        <h2 id={name}>{t(`gallery.${name}`)}</h2>
                        {list.next !== null && <a href={href(`/browse/${name}`)}>{t(`gallery.all_${name}`)}</a>}
                    </div>
                    <Cards page={page} list={list} isFirst={index === 0} />
                    {index === 0 && tags.length > 0 && <nav class="by-tag" aria-label={t('gallery.tags')}><Tags page={page} tags={tags} /></nav>}
                </section>
            ))}
            {shown.length === 0 && <p class="message">{t('gallery.empty')}</p>}
        </>
    );
}

interface ListingProps {
    page: PageContext;
    list: ShownList;
    /** the path and the query of this list, without a cursor */
    address: string;
    children: ComponentChildren;
}

/** A page of a list of projects, and the way to the next one. */
export function Listing({ page, list, address, children }: ListingProps): JSX.Element {
    const { t, href } = page;
    return (
        <>
            {children}
            {list.projects.length === 0 ? <p class="message">{t('list.empty')}</p> : <Cards page={page} list={list} isFirst />}
            {list.next !== null && <p class="more"><a class="button quiet" rel="next" href={href(`${address}${address.includes('?') ? '&' : '?'}after=${list.next}`)}>{t('list.more')}</a></p>}
        </>
    );
}

interface PersonProps {
    page: PageContext;
    username: string;
    collections: readonly { id: string; title: string; projects: number }[];
}

/** The heading of a person's page. */
export function Person({ page: { t, href }, username, collections }: PersonProps): JSX.Element {
    return (
        <>
            <h1><bdi>{username}</bdi></h1>
            {collections.length > 0 && (
                <section aria-labelledby="collections">
                    <h2 id="collections">{t('person.collections')}</h2>
                    <ul class="links">
                        {collections.map(({ id, title, projects }) => <li key={id}><a href={href(`/c/${id}`)}><bdi>{title}</bdi></a> <span class="counts">{t('person.projects_in', { count: projects })}</span></li>)}
                    </ul>
                </section>
            )}
            <h2>{t('person.projects')}</h2>
        </>
    );
}

interface CollectionProps {
    page: PageContext;
    title: string;
    description: string;
    username: string;
}

/** The heading of a collection's page. */
export function CollectionHeading({ page: { t, href }, title, description, username }: CollectionProps): JSX.Element {
    return (
        <>
            <h1 dir="auto">{title}</h1>
            <p>{t('collection.by')} <a href={href(`/u/${encodeURIComponent(username)}`)}><bdi>{username}</bdi></a></p>
            {description !== '' && <p class="description" dir="auto">{description}</p>}
        </>
    );
}
