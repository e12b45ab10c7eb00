import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Editor } from './editor.js';

/** Leads to the notices, and says how many are unread. */
export function Bell({ editor: { t, client } }: { editor: Editor }): JSX.Element {
    const bell = useRef<HTMLAnchorElement>(null);
    const { session } = client;
    const [user, token] = [session?.user.id, session?.token];
    useEffect(() => {
        const ending = new AbortController();
        const { signal } = ending;
        const { current } = bell;
        if (current !== null && user !== undefined && token !== undefined) {
            import('../bell.js').then(({ ring }) => void (signal.aborted || ring(current, { id: user, token }, signal)), () => undefined);
        }

        return () => ending.abort();
    }, [user, token]);
    // The number and the label are another script's: nothing here that it changes may be written again.
    return (
        <a class="bell" ref={bell} href="/account/notices" title={t('page.notices')}
            data-unread={t('page.notices_unread', { number: '#' })}>
            <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                <path d="M12 3a6 6 0 0 0-6 6c0 5-2 7-2 8h16c0-1-2-3-2-8a6 6 0 0 0-6-6zM10 20a2 2 0 0 0 4 0" /></svg>
            <b />
        </a>
    );
}

/** Whether anybody has commented on the project; no, if that cannot be read. */
export function useCommented({ client, doc: { project } }: Editor): boolean {
    const [is, set] = useState(false);
    useEffect(() => {
        client.comments.list(project, { count: 1 }).next().then(({ done }) => set(done !== true), () => undefined);
    }, [project.id]);
    return is;
}
