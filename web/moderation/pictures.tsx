import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { blockPicture, unblockPicture } from '../ui/conversation';
import { Form } from '../ui/form';
import { useKit } from '../ui/kit';

const hash = /[0-9a-f]{64}/i;

/** The hash of a picture: as it is, or in its address. */
const hashIn = (text: string): string => hash.exec(text)?.[0].toLowerCase() ?? '';

/** Blocks pictures, and takes that back. */
export function Pictures(): JSX.Element {
    const { t } = useKit();
    return (
        <>
            <p class="lead">{t('moderation.pictures_lead')}</p>
            <OfPicture title={t('moderation.picture_block')} said={t('moderation.picture_blocked')} act={blockPicture}
                given={new URLSearchParams(location.search).get('sha256') ?? ''} />
            <OfPicture title={t('moderation.picture_unblock')} said={t('moderation.picture_unblocked')} act={unblockPicture} given="" />
        </>
    );
}

function OfPicture({ title, said, act, given }: { title: string; said: string; act: typeof blockPicture; given: string }): JSX.Element {
    const { t, client, say } = useKit();
    const [times, setTimes] = useState(0);
    const value = times === 0 ? given : '';
    return (
        <section class="part">
            <h2>{title}</h2>
            {hash.test(value) && <img class="to-judge" src={`/assets/${hashIn(value)}`} alt="" />}
            <Form
                key={times} label={title} submit={title} danger={act === blockPicture}
                fields={[
                    { name: 'sha256', label: t('moderation.picture_address'), hint: t('moderation.picture_hint'), value, maxLength: 1000,
                        codes: ['not_found'], focus: times > 0,
                        check: (text) => (hash.test(text) ? undefined : t('moderation.picture_wrong')) },
                    { name: 'reason', label: t('moderation.why'), type: 'textarea', maxLength: 1000, focus: value !== '' }
                ]}
                onSubmit={async (values) => {
                    await act(client, hashIn(values.text('sha256')), values.text('reason').trim());
                    setTimes(times + 1);
                    say(said);
                }}
            />
        </section>
    );
}
