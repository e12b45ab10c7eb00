import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import { unsentHere } from '../offline/device';
import { signOut } from '../session';
import { Confirm } from '../ui/dialog';
import { useKit } from '../ui/kit';

/** A way to sign out, and the question before it if edits wait on this device. @param to where one goes then */
export function useSignOut(to: string): [ask: () => Promise<void>, question: JSX.Element | null] {
    const { t } = useKit();
    const [waiting, setWaiting] = useState(0);
    const leave = async (): Promise<void> => {
        await signOut().catch(() => undefined);
        location.assign(to);
    };

    const ask = async (): Promise<void> => {
        const count = await unsentHere().catch(() => 0);
        setWaiting(count);
        await (count === 0 && leave());
    };

    return [ask, waiting === 0 ? null : (
        <Confirm
            title={t('account.sign_out')} text={t('account.unsent', { count: waiting })} action={t('account.sign_out_anyway')}
            onClose={() => setWaiting(0)} onConfirm={leave}
        />
    )];
}

interface SignOutProps {
    /** the class of the button */
    class?: string;
    to: string;
    children: ComponentChildren;
}

/** A button that signs out. */
export function SignOut({ class: name, to, children }: SignOutProps): JSX.Element {
    const [ask, question] = useSignOut(to);
    return <><button type="button" class={name} onClick={() => void ask()}>{children}</button>{question}</>;
}
