import { useEffect, useState } from 'preact/hooks';

const inAddress = (): string => location.hash.slice(1);

/** The key of the link by which this page was opened; empty if there is none. It is behind a `#`, so it is in no log. A link that is opened in the same tab does not load the page again. */
export function useLinkKey(): string {
    const [key, setKey] = useState(inAddress());
    useEffect(() => {
        const read = (): void => setKey(inAddress());
        addEventListener('hashchange', read);
        return () => removeEventListener('hashchange', read);
    }, []);
    return key;
}

/** Takes the key, which was used, out of the address. */
export const forgetLinkKey = (): void => history.replaceState(history.state, '', location.pathname + location.search);
