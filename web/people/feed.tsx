import './feed.css';
import '../ui/people.css';

import type { JSX } from 'preact';

import { Face } from '../../src/site/face';
import { circles, feed } from '../conversation/service';
import { SignedIn } from '../sign-in/enter';
import { useAct } from '../ui/act';
import { href, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';
import { ProjectRow } from '../ui/project-row';
import { startPage } from '../ui/start';

/** The people whom one follows. */
function Followed(): JSX.Element {
    const { t } = useKit();
    const act = useAct();
    const list = useList(() => circles.list('following'), []);
    return (
        <section class="part" aria-labelledby="following">
            <h2 id="following">{t('feed.following')}</h2>
            <Items list={list} label={t('feed.following')} empty={t('feed.following_none')} keyOf={({ id }) => id}>
                {({ id, username }) => (
                    <div class="does">
                        <a class="face-link" href={href(`/u/${encodeURIComponent(username)}`)}><Face username={username}
                            size={32} /><bdi>{username}</bdi></a>
                        <button type="button" class="quiet" onClick={() => void act(async () => {
                            await circles.set('following', username, false);
                            list.change((items) => items.filter((each) => each.id !== id));
                        }, t('people.unfollowed', { name: username }))}>{t('feed.unfollow_name', { name: username })}</button>
                    </div>
                )}
            </Items>
        </section>
    );
}

/** The newest projects of the people whom one follows. */
function Feed(): JSX.Element {
    const { t } = useKit();
    const list = useList(feed, []);
    return (
        <>
            <h1>{t('feed.heading')}</h1>
            <Items list={list} label={t('feed.heading')} empty={t('feed.none')} keyOf={({ id }) => id}>
                {(project) => <ProjectRow project={project} facts={[t('ui.by', { name: project.author.username })]} />}
            </Items>
            <Followed />
        </>
    );
}

void startPage(() => {
    const { t } = useKit();
    return <SignedIn text={t('feed.sign_in')}><Feed /></SignedIn>;
});
