import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { href, useKit } from '../ui/kit';
import { problemText } from '../ui/problems';
import { placeToReturn } from './back';
import { browserName } from './browser-name';
import { place } from '../ui/place';

/** A sign-in that has begun, which only this tab can finish. */
interface Begun {
    provider: string;
    key: string;
    to: 'sign_in' | 'add';
    /** where one goes afterwards */
    back: string | null;
    /** an invitation code */
    code: string;
}

const KEY = 'pagewright sign-in';

function takeBegun(provider: string): Begun | undefined {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    const begun: Begun | null = JSON.parse(text ?? 'null');
    return begun?.provider === provider ? begun : undefined;
}

/** A button for each other provider that signs people in. */
export function Providers({ label, to = 'sign_in' }: { label: string; to?: Begun['to'] }): JSX.Element | null {
    const { t, client, language } = useKit();
    const [problem, setProblem] = useState('');
    const { providers } = place();
    const go = async (provider: string): Promise<void> => {
        setProblem('');
        const { key, url } = await client.beginSignIn({ provider, to });
        const code = document.querySelector<HTMLInputElement>('input[name="code"]')?.value.trim() ?? '';
        const isForThis = !/^\/sign-(?:in|up)$/.test(location.pathname);
        const begun: Begun = { provider, key, to, back: to === 'add' ? null : isForThis ? location.href : placeToReturn(), code };
        sessionStorage.setItem(KEY, JSON.stringify(begun));
        location.assign(url);
    };

    return providers.length === 0 ? null : (
        <>
            <div class="actions">
                {providers.map(({ id, name }) => (
                    <button key={id} type="button" class="quiet" onClick={() => void go(id).catch((error: unknown) => setProblem(problemText(t, language, error)))}>{t(label, { name })}</button>
                ))}
            </div>
            <p class="problem" role="alert">{problem}</p>
        </>
    );
}

/** Where a provider sends people back to: finishes what was begun in this tab, or says what to do. */
export function FromProvider({ provider }: { provider: string }): JSX.Element {
    const { t, client, language } = useKit();
    const [problem, setProblem] = useState('');
    const [again, setAgain] = useState(href('/sign-in'));
    const finish = async (): Promise<void> => {
        const given = new URLSearchParams(location.search);
        const chosen = given.get('lang');
        given.delete('lang');
        // The code is not to stay in the address.
        history.replaceState(history.state, '', chosen === null ? location.pathname : `${location.pathname}?lang=${encodeURIComponent(chosen)}`);
        const begun = takeBegun(provider);
        if (begun?.to === 'add') {
            setAgain(href('/account/identities'));
        }

        if (begun === undefined || given.size === 0) {
            setProblem(t('identities.not_begun'));
        }
        else if (given.has('error')) {
            setProblem(t(given.get('error') === 'access_denied' ? 'identities.cancelled' : 'identities.refused'));
        }
        else {
            const answer = { provider, key: begun.key, answer: given.toString() };
            const label = browserName();
            if (begun.to === 'add') {
                await client.account.addIdentity(answer);
            }
            else {
                await client.signInWithProvider({ ...answer, ...label !== '' && { label }, ...begun.code !== '' && { code: begun.code } });
            }

            location.replace(begun.back ?? href(begun.to === 'add' ? '/account/identities' : '/'));
        }
    };

    useEffect(() => {
        // The script of all pages may be about to show this one in another language, where it is finished.
        if (document.documentElement.dataset.leaving === undefined) {
            void finish().catch((error: unknown) => setProblem(problemText(t, language, error)));
        }
    }, []);
    return (
        <div class="enter">
            <h1>{t('enter.sign_in')}</h1>
            {problem === '' ? <p class="loading" role="status">{t('page.loading')}</p> : (
                <>
                    <p class="problem" role="alert">{problem}</p>
                    <p><a class="button" href={again}>{t('identities.again')}</a></p>
                </>
            )}
        </div>
    );
}
