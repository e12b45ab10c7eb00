import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { Form } from '../ui/form';
import { href, useKit, useSession } from '../ui/kit';
import type { Asked } from './ask';

interface QuestionProps {
    asked: Asked;
    onDecided(allow: boolean, scope: readonly string[]): Promise<void>;
}

/** Asks whether an app may be let in: what it is, whose, what it wants, and where one goes back to. */
export function Question({ asked: { app, scope, destination }, onDecided }: QuestionProps): JSX.Element {
    const { t, client } = useKit();
    const session = useSession();
    const heading = useRef<HTMLHeadingElement>(null);
    useEffect(() => heading.current?.focus(), []);
    return (
        <section class="enter consent">
            <h1 ref={heading} tabIndex={-1}>{t('consent.heading', { app: app.name })}</h1>
            <p>
                {app.owner === null ? t(destination === location.host ? 'consent.by_service' : 'consent.by_itself') : <>{t('consent.by')} <a href={href(`/u/${encodeURIComponent(app.owner.username)}`)} target="_blank" rel="noreferrer"><bdi>{app.owner.username}</bdi></a>.</>}
                {' '}{t('consent.website')} <a href={app.url} target="_blank" rel="noreferrer noopener" dir="ltr">{app.url}</a>
            </p>
            <p>{t('consent.as', { username: String(session?.user.username) })} <button type="button" class="plain" onClick={() => void client.signOut().catch(() => undefined)}>{t('consent.not_you')}</button></p>
            <h2 id="wants">{t('consent.wants')}</h2>
            <Form
                label={t('consent.wants')} submit={t('consent.allow')}
                fields={scope.map((name) => ({ name, label: t(`consent.scope_${name}`), type: 'checkbox', value: 'on' }))}
                cancel={{ label: t('consent.deny'), onCancel: () => void onDecided(false, []) }}
                onSubmit={(values) => onDecided(true, scope.filter((name) => values.isChecked(name)))}
            >
                <p class="hint">{t('consent.untick')} {t('consent.never')}</p>
                {destination !== null && <p>{t('consent.destination')} <bdi dir="ltr"><strong>{destination}</strong></bdi></p>}
                <p class="hint">{t('consent.end')}</p>
            </Form>
        </section>
    );
}
