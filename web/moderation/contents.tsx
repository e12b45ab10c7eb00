import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import type { Page as PageOfProject, Project } from '../../client/src/index.js';
import { Page, drawnWith } from '../editor/drawing';
import { href, useKit } from '../ui/kit';

const noName = (): string => '';

/** How many pages of a project are shown: the others are in the player. */
const MAX_PAGES = 12;

/** The hashes of the pictures on pages. */
const picturesIn = (pages: readonly PageOfProject[]): string[] => {
    const images = pages.flatMap(({ elements }) => elements.filter(({ type }) => type === 'image'));
    return [...new Set([...JSON.stringify(images).matchAll(/\/assets\/([0-9a-f]{64})/g)].map(([, sha256]) => String(sha256)))];
};

/** The pages of a project, large enough to decide about it; also of one that is held or private. */
export function Contents({ project }: { project: Project }): JSX.Element | null {
    const { t, client } = useKit();
    const options = useMemo(() => drawnWith(client, 1), [client]);
    const [pages, setPages] = useState<readonly PageOfProject[]>([]);
    // Without its pages, there is still the way to the player.
    useEffect(() => void client.projects.pages(project).then(setPages, () => undefined), [project.id, project.revision]);
    const shown = pages.slice(0, MAX_PAGES);
    const pictures = picturesIn(shown);
    return pages.length === 0 ? null : (
        <>
            <ol class="contents" tabIndex={0} aria-label={t('player.pages')}>
                {shown.map((page) => <li key={page.id}><Page page={page} options={options} selected={null} nameOf={noName} /></li>)}
            </ol>
            {pictures.length > 0 && (
                <ul class="chips pictures" aria-label={t('moderation.pictures_in')}>
                    {pictures.map((sha256) =>
                        <li key={sha256}><a href={href(`/moderation?view=pictures&sha256=${sha256}`)}><img src={`/assets/${sha256}`}
                            alt={t('moderation.picture_this')} loading="lazy" /></a></li>)}
                </ul>
            )}
        </>
    );
}
