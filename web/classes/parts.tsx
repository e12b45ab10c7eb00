import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ClassRead } from '../../client/src/index.js';
import { href, useKit } from '../ui/kit';

/** The parts of the page of a class. Each has an address of its own. */
const parts = ['wall', 'assignments', 'people', 'settings'] as const;

type Part = typeof parts[number];

/** The part in the address. Older addresses have it behind a `#`. @param otherwise if it names none */
const partHere = (otherwise: Part): Part => {
    const named = new URLSearchParams(location.search).get('part') ?? location.hash.slice(1);
    return parts.find((part) => part === named) ?? (named === 'pupils' || named === 'code' ? 'people' : otherwise);
};

/** The part that is shown, and the links to all. */
export function useParts({ class: { id: classId }, pupils }: ClassRead): [part: Part, links: JSX.Element] {
    const { t } = useKit();
    // A new class needs pupils first.
    const otherwise = pupils.length === 0 ? 'people' : 'wall';
    const [shown, show] = useState(() => partHere(otherwise));
    useEffect(() => {
        const back = (): void => show(partHere(otherwise));
        addEventListener('popstate', back);
        return () => removeEventListener('popstate', back);
    }, []);
    const go = (event: MouseEvent, part: Part, address: string): void => {
        // A new tab, or a new window, is opened by the browser.
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
            event.preventDefault();
            history.pushState(null, '', address);
            show(part);
        }
    };

    return [shown, (
        <nav class="parts" aria-label={t('classes.parts')}>
            <ul>
                {parts.map((part) => {
                    const address = href(`/class/${classId}?part=${part}`);
                    return <li key={part}><a href={address} aria-current={part === shown ? 'page' : undefined} onClick={(event) => go(event, part, address)}>{t(`classes.${part === 'wall' ? 'projects' : part}`)}</a></li>;
                })}
            </ul>
        </nav>
    )];
}
