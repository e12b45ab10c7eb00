import { render } from 'preact';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Concern } from '../conversation/concern';
import { circles } from '../conversation/service';
import type { Named } from '../conversation/service';
import { client, currentSession } from '../session';
import { loadTexts } from '../texts';
import { KitContext, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';

/** The acts that concern a person: follow, report, block. */
function Ways({ person }: { person: Named }): JSX.Element {
    const { t, language } = useKit();
    const [isFollowed, setFollowed] = useState<boolean>();
    const [isBlocked, setBlocked] = useState(false);
    const [said, say] = useState('');
    const failed = (error: unknown): void => say(problemText(t, language, error));
    useEffect(() => {
        circles.has('following', person.id).then(setFollowed, failed);
        circles.has('blocks', person.id).then(setBlocked, () => undefined);
    }, [person.id]);

    const follow = (): void => {
        const is = isFollowed !== true;
        circles.set('following', person.username, is).then(() => {
            setFollowed(is);
            say(t(is ? 'people.followed' : 'people.unfollowed', { name: person.username }));
        }, failed);
    };

    return (
        <>
            <div class="does">
                {isFollowed !== undefined && !isBlocked && <button type="button" class={isFollowed ? 'quiet' : undefined}
                    onClick={follow}>{t(isFollowed ? 'people.unfollow' : 'people.follow')}</button>}
                <Concern thing={{ user: person.id }} person={person} isBlocked={isBlocked} onBlocked={(is) => {
                    setBlocked(is);
                    // Whoever is blocked is not followed any more.
                    setFollowed((before) => before === true && !is);
                }} />
            </div>
            <p role="status">{said}</p>
        </>
    );
}

export async function showWays(place: HTMLElement): Promise<void> {
    const session = currentSession();
    const { person: id = '', name: username = '' } = place.dataset;
    if (session === null) {
        return;
    }

    place.replaceChildren();
    if (session.user.id !== id) {
        const t = await loadTexts();
        render(<KitContext.Provider value={{ t, client: client(), language: document.documentElement.lang, say: () => undefined }}>
            <Ways person={{ id, username }} /></KitContext.Provider>, place);
    }
}
