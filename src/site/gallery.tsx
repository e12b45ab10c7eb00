import type { ComponentChildren, JSX } from 'preact';

import { Cards, Picture, Tags } from './cards';
import type { PageContext } from './context';
import { Face } from './face';
import type { ShownList } from './shown';

interface GalleryProps {
    page: PageContext;
    lists: readonly { name: 'featured' | 'trending' | 'new'; list: ShownList }[];
    tags: readonly string[];
    hasModerator: boolean;
}

/** The first page: featured, trending and new projects. */
export function Gallery({ page, lists, tags, hasModerator }: GalleryProps): JSX.Element {
    const { t, href, place, isArchived = false } = page;
    const shown = lists.filter(({ list }) => list.projects.length > 0);
    const first = shown[0]?.list;
    return (
        <>
            <section class="welcome">
                <div>
                    <h1>{place.welcome === '' ? t('gallery.title') : <bdi>{place.name}</bdi>}</h1>
                    {place.welcome === '' ? <p>{t('gallery.text')}</p> : <p class="description" dir="auto">{place.welcome}</p>}
                    <p class="ways-in">
                        {first?.projects[0] !== undefined && <a class="button" href={href(`/p/${first.projects[0].id}`)}>{t('gallery.play')}</a>}
                        {!isArchived && <a class={first === undefined ? 'button' : 'button quiet'} href={href('/account?new=1')}>{t('gallery.begin')}</a>}
                    </p>
                    {!hasModerator && <p class="hint for-staff"><a href={href('/welcome')}>{t('first.hint')}</a></p>}
                </div>
                {first !== undefined && <Fan list={first} />}
            </section>
            {shown.map(({ name, list }, index) => (
                <section key={name} aria-labelledby={name}>
                    <div class="heading">
                        <h2 id={name}>{t(`gallery.${name}`)}</h2>
                        {(list.next !== null || list.projects.length > 2) && <a href={href(`/browse/${name}`)}>{t(`gallery.all_${name}`)}</a>}
                    </div>
                    <Cards page={page} list={list} isFirst={index === 0} isFew />
                    {index === 0 && tags.length > 0 && <nav class="by-tag" aria-label={t('gallery.tags')}><Tags page={page} tags={tags} /></nav>}
                </section>
            ))}
            {shown.length === 0 && <p class="message">{t(isArchived ? 'list.empty' : 'gallery.empty')}</p>}
        </>
    );
}

/** Most pictures beside the first words. */
const FANNED = 3;

/** Some pictures, as cards in a hand. They stand below with their titles, so screen readers leave these out. */
function Fan({ list: { projects, thumbnails } }: { list: ShownList }): JSX.Element {
    return <div class="fan" aria-hidden="true">{projects.slice(0, FANNED).map((project) => <Picture key={project.id} project={project} thumbnail={thumbnails.get(project.id)} isFirst />)}</div>;
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
            {list.projects.length === 0 ? <Empty page={page} /> : <Cards page={page} list={list} isFirst />}
            {list.next !== null && <p class="more"><a class="button quiet" rel="next" href={href(`${address}${address.includes('?') ? '&' : '?'}after=${list.next}`)}>{t('list.more')}</a></p>}
        </>
    );
}

/** In the place of a list without projects: where to go instead. */
function Empty({ page: { t, href, isArchived = false } }: { page: PageContext }): JSX.Element {
    return (
        <div class="message">
            <p>{t('list.empty')}</p>
            <p class="ways-in"><a class="button" href={href('/browse/new')}>{t('list.newest')}</a>{!isArchived && <> <a class="button quiet" href={href('/account?new=1')}>{t('gallery.begin')}</a></>}</p>
        </div>
    );
}

interface PersonProps {
    page: PageContext;
    person: { id: string; username: string; about: string };
    collections: readonly { id: string; title: string; projects: number }[];
}

/** The heading of a person's page. */
export function Person({ page: { t, href, isArchived = false }, person: { id: userId, username, about }, collections }: PersonProps): JSX.Element {
    return (
        <>
            <h1 class="person"><Face username={username} size={72} /> <bdi>{username}</bdi></h1>
            {about !== '' && <p class="description" dir="auto">{about}</p>}
            {!isArchived && (
                <div class="with-person" data-person={userId} data-name={username}>
                    <a class="button" href={href(`/sign-in?back=${encodeURIComponent(`/u/${encodeURIComponent(username)}`)}`)}>{t('people.follow')}</a>
                </div>
            )}
            {!isArchived && <p class="for-moderators"><a class="button quiet" href={href(`/moderation?view=person&id=${userId}&name=${encodeURIComponent(username)}`)}>{t('page.moderation')}</a></p>}
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
            <h1><bdi>{title}</bdi></h1>
            <p>{t('collection.by')} <a href={href(`/u/${encodeURIComponent(username)}`)}><Face username={username} size={24} /> <bdi>{username}</bdi></a></p>
            {description !== '' && <p class="description" dir="auto">{description}</p>}
        </>
    );
}
