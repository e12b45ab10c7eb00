import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { PagewrightError } from '../../../client/src/index.js';
import { browserName } from '../../sign-in/browser-name';
import { SignOut } from '../../account/sign-out';
import { keepPrepared } from '../../prepared';
import { Form } from '../../ui/form';
import { href, useKit, useSession } from '../../ui/kit';
import { Refusal } from '../../ui/problems';

const PREFIX = '#prepare-';

/** The address that prepares a device. The code is behind a `#`, so it is in no log. */
export const preparingAddress = (classId: string, code: string): string => {
    return new URL(`/class/${classId}${PREFIX}${code}`, location.origin).href;
};

/** The code in the address of this page. */
export const codeHere = (): string | undefined => (location.hash.startsWith(PREFIX) ? location.hash.slice(PREFIX.length) : undefined);

/** Prepares this device for a class. Whoever is here presses a button: a program that only looks at the page does not use the code up. */
export function PrepareDevice({ id, code }: { id: string; code: string }): JSX.Element {
    const { t, client } = useKit();
    const session = useSession();
    const [title, setTitle] = useState<string | null>(null);
    const names = href(`/class/${id}`);
    if (title !== null) {
        return (
            <div class="message">
                <h1>{t('classes.pictures_prepared', { title })}</h1>
                <p>
                    {session === null ? <a class="button" href={names}>{t('classes.pictures_to_names')}</a> : (
                        <SignOut to={names}>{t('classes.pictures_sign_out')}</SignOut>
                    )}
                </p>
            </div>
        );
    }

    return (
        <div class="enter">
            <h1>{t('classes.pictures_prepare')}</h1>
            <p class="lead">{t('classes.pictures_prepare_text')}</p>
            <Form fields={[]} submit={t('classes.pictures_this')} onSubmit={async () => {
                const label = browserName();
                const made = await client.classes.prepare(code, label === '' ? undefined : label).catch((error: unknown) => {
                    const isOver = error instanceof PagewrightError && (error.status === 404 || error.status === 400);
                    throw isOver ? new Refusal(t('classes.pictures_over')) : error;
                });
                keepPrepared({ ...made.class, secret: made.secret });
                history.replaceState(null, '', names);
                setTitle(made.class.title);
            }} />
        </div>
    );
}
