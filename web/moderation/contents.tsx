import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import type { Page as PageOfProject, Project } from '../../client/src/index.js';
import { Page, drawnWith } from '../editor/drawing';
import { useKit } from '../ui/kit';

const noName = (): string => '';

/** How many pages of a project are shown: the others are in the player. */
const MAX_PAGES = 12;

/** The pages of a project, large enough to decide about it; also of one that is held or private. */
export function Contents({ project }: { project: Project }): JSX.Element | null {
    const { t, client } = useKit();
    const options = useMemo(() => drawnWith(client, 1), [client]);
    const [pages, setPages] = useState<readonly PageOfProject[]>([]);
    // Without its pages, there is still the way to the player.
    useEffect(() => void client.projects.pages(project).then(setPages, () => undefined), [project.id, project.revision]);
    return pages.length === 0 ? null : (
        <ol class="contents" tabIndex={0} aria-label={t('player.pages')}>
            {pages.slice(0, MAX_PAGES).map((page) => <li key={page.id}><Page page={page} options={options} selected={null} nameOf={noName} /></li>)}
        </ol>
    );
}
