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

/** Projects with more elements keep the picture that they have: to read them each time they change would be slow. */
const MAX_ELEMENTS = 2000;

/** Milliseconds that reading a project may take, and after which one that could not be read is read again. */
const PATIENCE = 10_000;

/** Pages are read one after the other. */
let before: Promise<unknown> = Promise.resolve();
function inTurn(work: () => Promise<void>): void {
    before = before.then(work);
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
        const read = (): void => {
            if (at.isWaiting || at.isLarge || at.isGone) {
                return;
            }

            at.isWaiting = true;
            inTurn(async () => {
                at.isWaiting = false;
                try {
                    const pages = at.isGone ? [] : await client.projects.pages(project, { timeout: PATIENCE });
                    at.isLarge = pages.reduce((sum, { elements }) => sum + elements.length, 0) > MAX_ELEMENTS;
                    setPage(at.isLarge ? undefined : pages[0]);
                }
                catch {
                    setTimeout(read, PATIENCE);
                }
            });
        };

        const isShown = project.revision === at.seen && thumbnailOf(project) !== undefined && Date.now() - Date.parse(project.history.updated_at) > OLD_ENOUGH;
        if (!isShown) {
            read();
        }
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
