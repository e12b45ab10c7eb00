import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { href, useKit, useSession } from './kit';
import { problemText } from './problems';

interface ViewsProps {
    /** of the page */
    path: string;
    /** how the keys of its texts begin: `title`, `not_yours`, `not_yours_text`, and one for each view */
    texts: string;
    /** what a user needs to see them */
    permission: 'moderator' | 'staff';
    /** each has an address of its own, the first one that of the page */
    views: Readonly<Record<string, ComponentType>>;
}

/** Whether the user may be here; null until that is known. */
function usePermission(permission: ViewsProps['permission']): { isPermitted: boolean | null; problem: string } {
    const { t, client, language } = useKit();
    const session = useSession();
    const [isPermitted, setPermitted] = useState<boolean | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.account.get().then(({ permissions }) => setPermitted(permissions[permission]), (error: unknown) => setProblem(problemText(t, language, error)));
    }, [session?.user.id]);
    return { isPermitted, problem };
}

/** The views of a page for people with a permission, one at a time. */
export function Views({ path, texts, permission, views }: ViewsProps): JSX.Element {
    const { t } = useKit();
    const { isPermitted, problem } = usePermission(permission);
    const names = Object.keys(views);
    const asked = new URLSearchParams(location.search).get('view');
    const view = names.find((name) => name === asked) ?? String(names[0]);
    const Shown = views[view];
    if (problem !== '') {
        return <p class="problem" role="alert">{problem}</p>;
    }

    if (isPermitted === null) {
        return <p class="loading" role="status">{t('page.loading')}</p>;
    }

    if (!isPermitted) {
        return (
            <div class="message">
                <h1>{t(`${texts}.not_yours`)}</h1>
                <p>{t(`${texts}.not_yours_text`)}</p>
                <p><a class="button" href={href('/')}>{t('missing.back')}</a></p>
            </div>
        );
    }

    return (
        <div class="account">
            <nav aria-label={t(`${texts}.title`)}>
                <ul>{names.map((each) => <li key={each}><a href={href(each === names[0] ? path : `${path}?view=${each}`)} aria-current={each === view ? 'page' : undefined}>{t(`${texts}.${each}`)}</a></li>)}</ul>
            </nav>
            <div class="part-of">
                <h1>{t(`${texts}.${view}`)}</h1>
                {Shown !== undefined && <Shown />}
            </div>
        </div>
    );
}
