import type { JSX } from 'preact';

import type { PageContext } from './context';
import type { PageOnGrid, ShownPage, ShownProject } from './shown';

/** The sign of a like. */
export const Heart = (): JSX.Element => <svg class="heart" viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
    <path d="M12 20S3 14.5 3 8.5A4.6 4.6 0 0 1 12 7a4.6 4.6 0 0 1 9 1.5C21 14.5 12 20 12 20z" /></svg>;

/** Most pages whose ids are in the HTML, for the numbers of those that comments are about. */
const MAX_NUMBERED = 200;

interface CommentsProps {
    page: PageContext;
    project: Pick<ShownProject, 'id' | 'user_id'>;
    /** all of its pages, in reading order */
    places: readonly PageOnGrid[];
    shown: ShownPage | null;
}

/** The place of the comments. A script fills it when the reader comes near: the project is played without it. */
export function Comments({ page: { t }, project: { id, user_id: owner }, places, shown }: CommentsProps): JSX.Element {
    const pages = places.slice(0, MAX_NUMBERED).map((place) => place.id).join(' ');
    return (
        <section class="conversation" id="comments" aria-labelledby="comments-title" data-project={id} data-owner={owner}
            data-page={shown?.id} data-pages={pages}>
            <h2 id="comments-title">{t('comments.title')}</h2>
            <noscript><p>{t('comments.needs_script')}</p></noscript>
        </section>
    );
}
