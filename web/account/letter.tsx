import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { useAct } from '../ui/act';
import { getsLetter, setLetter } from '../ui/conversation';
import { href, useKit } from '../ui/kit';

/** The switch of the letter that tells of new notices once a day. */
export function Letter(): JSX.Element | null {
    const { t, client } = useKit();
    const act = useAct();
    const [daily, setDaily] = useState<boolean | null>(null);
    useEffect(() => void getsLetter(client).then(setDaily, () => undefined), []);
    return daily === null ? null : (
        <section class="part">
            <h2>{t('notices.letter')}</h2>
            <div class="field check">
                <input id="daily-letter" type="checkbox" aria-describedby="letter-address" checked={daily}
                    onChange={({ currentTarget }) => {
                        const { checked } = currentTarget;
                        void act(async () => {
                            setDaily(checked);
                            await setLetter(client, checked).catch((error: unknown) => {
                                setDaily(!checked);
                                throw error;
                            });
                        }, t(checked ? 'notices.letter_on' : 'notices.letter_off'));
                    }} />
                <label for="daily-letter">{t('notices.letter_text')}</label>
            </div>
            <p class="hint" id="letter-address">
                {t('notices.letter_address')} <a href={href('/account/profile')}>{t('account.profile')}</a>
            </p>
        </section>
    );
}
