import '../ui/people.css';

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { SignedIn } from '../account/enter';
import { href, useKit, useSession } from '../ui/kit';
import { problemText } from '../ui/problems';
import { startPage } from '../ui/start';
import { Log } from './log';
import { Lookup } from './lookup';
import { Person } from './person';
import { Queue } from './queue';

const views = { reports: Queue, project: Lookup, person: Person, log: Log } as const;
type View = keyof typeof views;
const isView = (value: string | null): value is View => value !== null && value in views;

/** Whether the user may be here; null until that is known. */
function useIsModerator(): { isModerator: boolean | null; problem: string } {
    const { t, client, language } = useKit();
    const session = useSession();
    const [isModerator, setModerator] = useState<boolean | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        client.account.get().then(({ permissions }) => setModerator(permissions.moderator), (error: unknown) => setProblem(problemText(t, language, error)));
    }, [session?.user.id]);
    return { isModerator, problem };
}

function Moderation(): JSX.Element {
    const { t } = useKit();
    const { isModerator, problem } = useIsModerator();
    const asked = new URLSearchParams(location.search).get('view');
    const view = isView(asked) ? asked : 'reports';
    const Shown = views[view];
    if (problem !== '') {
        return <p class="problem" role="alert">{problem}</p>;
    }

    if (isModerator === null) {
        return <p class="loading" role="status">{t('page.loading')}</p>;
    }

    if (!isModerator) {
        return (
            <div class="message">
                <h1>{t('moderation.not_yours')}</h1>
                <p>{t('moderation.not_yours_text')}</p>
                <p><a class="button" href={href('/')}>{t('missing.back')}</a></p>
            </div>
        );
    }

    return (
        <div class="account">
            <nav aria-label={t('moderation.title')}>
                <ul>{Object.keys(views).map((each) => <li key={each}><a href={href(each === 'reports' ? '/moderation' : `/moderation?view=${each}`)} aria-current={each === view ? 'page' : undefined}>{t(`moderation.${each}`)}</a></li>)}</ul>
            </nav>
            <div class="part-of">
                <h1>{t(`moderation.${view}`)}</h1>
                <Shown />
            </div>
        </div>
    );
}

void startPage(() => {
    const { t } = useKit();
    return <SignedIn text={t('moderation.sign_in')}><Moderation /></SignedIn>;
});
