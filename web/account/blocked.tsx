import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useAct } from '../ui/act';
import { block, listBlocks, unblock } from '../ui/conversation';
import type { Block } from '../ui/conversation';
import { Form } from '../ui/form';
import { href, timeIn, useKit } from '../ui/kit';
import { Items, useList } from '../ui/list';

/** The people whom one has blocked. */
export function Blocked(): JSX.Element {
    const { t, client, language, say } = useKit();
    const act = useAct();
    const [times, setTimes] = useState(0);
    const list = useList<Block>(() => listBlocks(client), [times]);
    return (
        <>
            <p class="lead">{t('blocked.lead')}</p>
            <Form
                key={times} label={t('blocked.who')} submit={t('blocked.block')} inline
                fields={[{ name: 'username', label: t('enter.username'), focus: times > 0, maxLength: 100,
                    codes: ['not_found', 'forbidden'] }]}
                onSubmit={async (values) => {
                    const name = values.text('username').trim();
                    await block(client, name);
                    setTimes(times + 1);
                    say(t('blocked.blocked', { name }));
                }}
            />
            <Items list={list} label={t('account.blocked')} empty={t('blocked.none')} keyOf={({ user }) => user.id}>
                {(one) => {
                    const { user: { username: name }, since } = one;
                    return (
                        <article class="row">
                            <div class="about">
                                <h2><a href={href(`/u/${encodeURIComponent(name)}`)}><bdi>{name}</bdi></a></h2>
                                <p class="facts"><span>{t('blocked.since', { time: timeIn(language, since) })}</span></p>
                                <div class="does">
                                    <button type="button" class="quiet" aria-label={t('blocked.unblock_name', { name })}
                                        onClick={() => void act(async () => {
                                            await unblock(client, name);
                                            list.change((items) => items.filter((each) => each !== one));
                                        }, t('blocked.unblocked', { name }))}>{t('blocked.unblock')}</button>
                                </div>
                            </div>
                        </article>
                    );
                }}
            </Items>
        </>
    );
}
