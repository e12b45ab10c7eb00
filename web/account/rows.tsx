import type { JSX } from 'preact';

import { timeIn, useKit } from '../ui/kit';

interface RowsProps<Thing> {
    /** null as long as they are not read */
    things: readonly Thing[] | null;
    /** what they are, for screen readers */
    label: string;
    /** what stands there if there are none */
    none: string;
    /** why they could not be read; empty if they could */
    problem: string;
    nameOf(thing: Thing): string;
    facts(thing: Thing): JSX.Element;
    /** the button that ends a thing; null for one that cannot be ended here */
    ending(thing: Thing): { label: string; text: string; press(): void } | null;
}

/** Ways in, each with its name, facts about it and a button that ends it. */
export function Rows<Thing extends { id: string }>({ things, label, none, problem, nameOf, facts, ending }: RowsProps<Thing>): JSX.Element | null {
    const { t } = useKit();
    if (things === null) {
        return problem === '' ? <p class="loading" role="status">{t('page.loading')}</p> : null;
    }

    return things.length === 0 ? <p class="empty">{none}</p> : (
        <ul class="rows" aria-label={label}>
            {things.map((thing) => {
                const end = ending(thing);
                return (
                    <li key={thing.id}>
                        <article class="row">
                            <div class="about">
                                <h2 dir="auto">{nameOf(thing)}</h2>
                                {facts(thing)}
                                {end !== null && <div class="does"><button type="button" class="quiet" aria-label={end.label} onClick={end.press}>{end.text}</button></div>}
                            </div>
                        </article>
                    </li>
                );
            })}
        </ul>
    );
}

/** Since when a passkey or an identity is there, and when it was last used. */
export function UseFacts({ of: { created_at: since, last_used_at: last }, more }: { of: { created_at: string; last_used_at: string | null }; more?: JSX.Element | false }): JSX.Element {
    const { t, language } = useKit();
    return (
        <p class="facts">
            <span>{t('sessions.since', { time: timeIn(language, since) })}</span>
            <span>{last === null ? t('sessions.unused') : t('sessions.used', { time: timeIn(language, last) })}</span>
            {more}
        </p>
    );
}
