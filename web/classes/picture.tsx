import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Page, ProjectWithStats } from '../../client/src/index.js';
import { thumbnailOf } from '../../src/site/thumbnail.js';
import { Thumbnail, drawnWith } from '../editor/drawing';
import { useKit } from '../ui/kit';

/** Colours of projects without a picture, as web/style.css names them. */
const SHADES = 6;

/** The service makes a new thumbnail of a project every five minutes at most: what has changed since is drawn here. In milliseconds, with a minute for clocks that differ. */
const OLD_ENOUGH = 6 * 60_000;

/** Projects that take longer to read, in milliseconds, or have more elements on their first page, keep the picture that they have. */
const MOST_TIME = 2000;
const MOST_ELEMENTS = 500;

/** Pages are read one after the other. */
let before: Promise<unknown> = Promise.resolve();
function inTurn(work: () => Promise<void>): void {
    before = before.then(work).catch(() => undefined);
}

/** The first page of a project, as it is now; undefined if its thumbnail shows that. */
function useFirstPage(project: ProjectWithStats): Page | undefined {
    const { client } = useKit();
    const [page, setPage] = useState<Page>();
    const at = useRef({ seen: project.revision, isWaiting: false, isLarge: false, isGone: false }).current;
    useEffect(() => {
        const leave = (): void => {
            at.isGone = true;
        };

        return leave;
    }, []);
    useEffect(() => {
        const isShown = project.revision === at.seen && page === undefined && thumbnailOf(project) !== undefined && Date.now() - Date.parse(project.history.updated_at) > OLD_ENOUGH;
        if (isShown || at.isWaiting || at.isLarge) {
            return;
        }

        at.isWaiting = true;
        inTurn(async () => {
            at.isWaiting = false;
            if (at.isGone || document.hidden) {
                return;
            }

            const began = performance.now();
            const [first] = await client.projects.pages(project, { timeout: 5 * MOST_TIME });
            at.isLarge = performance.now() - began > MOST_TIME || (first?.elements.length ?? 0) > MOST_ELEMENTS;
            setPage(at.isLarge ? undefined : first);
        });
    }, [project.revision]);
    return page;
}

/** The picture of a project on the wall: its first page as it is now, or its thumbnail. */
export function Picture({ project }: { project: ProjectWithStats }): JSX.Element {
    const { client } = useKit();
    const options = useMemo(() => drawnWith(client, 1), [client]);
    const page = useFirstPage(project);
    const path = thumbnailOf(project)?.path;
    // It may be of another place.
    const [absent, setAbsent] = useState<string>();
    if (page !== undefined && page.elements.length > 0) {
        return <div class="picture"><Thumbnail page={page} options={options} /></div>;
    }

    return path === undefined || path === absent ? <div class={`picture blank shade-${Number(BigInt(project.id) % BigInt(SHADES))}`} aria-hidden="true">{[...project.title.trim()][0]}</div> :
        <img class="picture" src={path} alt="" width="320" height="480" loading="lazy" onError={() => setAbsent(path)} />;
}
