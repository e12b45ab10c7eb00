import type { ComponentChildren, JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useKit } from './kit';
import { problemText } from './problems';

/** How many items are shown at first, and with each further step. */
const STEP = 24;

interface Loaded<Item> {
    items: readonly Item[];
    /** whether there are more */
    more: boolean;
}

/** A list of the client that is shown in steps. */
export interface ShownList<Item> {
    items: readonly Item[];
    state: 'loading' | 'ready' | 'failed';
    more: boolean;
    problem: string;
    /** shows more items */
    load(): Promise<void>;
    /** reads as many items again as are shown, which stay until then @throws what reading them throws */
    refresh(): Promise<void>;
    /** changes what is shown, after a write */
    change(make: (items: readonly Item[]) => readonly Item[]): void;
}

/** A source of single items, such as a list of the client. */
type Source<Item> = AsyncGenerator<Item, void, undefined>;

/** @param open begins to read the list; it is read anew if one of `inputs` changes */
export function useList<Item>(open: () => Source<Item>, inputs: readonly unknown[]): ShownList<Item> {
    const { t, language } = useKit();
    const source = useRef<Source<Item>>();
    const opener = useRef(open);
    opener.current = open;
    const ahead = useRef<Item[]>([]);
    const shown = useRef(0);
    const [{ items, more }, setLoaded] = useState<Loaded<Item>>({ items: [], more: false });
    const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
    const [problem, setProblem] = useState('');

    const load = useCallback(async () => {
        const list = source.current;
        if (list === undefined) {
            return;
        }

        setState('loading');
        try {
            // One more than is shown tells whether there are more.
            while (ahead.current.length <= STEP) {
                const { value, done } = await list.next();
                // Another list was asked for meanwhile, to which this item does not belong.
                if (source.current !== list) {
                    return;
                }

                if (done === true) {
                    break;
                }

                ahead.current.push(value);
            }

            const next = ahead.current.splice(0, STEP);
            setLoaded((before) => ({ items: [...before.items, ...next], more: ahead.current.length > 0 }));
            setState('ready');
        }
        catch (error) {
            if (source.current === list) {
                setProblem(problemText(t, language, error));
                setState('failed');
            }
        }
    }, []);

    shown.current = items.length;
    const refresh = useCallback(async () => {
        const [before, list, read] = [source.current, opener.current(), Array.of<Item>()];
        const count = Math.max(STEP, shown.current);
        while (read.length <= count) {
            const { value, done } = await list.next();
            if (done === true) {
                break;
            }

            read.push(value);
        }

        // Meanwhile another list was asked for, or more of this one.
        if (source.current !== before || shown.current > count) {
            return;
        }

        source.current = list;
        ahead.current = read.splice(count);
        setLoaded({ items: read, more: ahead.current.length > 0 });
        setState('ready');
    }, []);

    useEffect(() => {
        source.current = open();
        ahead.current = [];
        setLoaded({ items: [], more: false });
        setProblem('');
        void load();
        return () => {
            source.current = undefined;
        };
    }, inputs);

    return { items, more, state, problem, load, refresh, change: (make) => setLoaded((before) => ({ ...before, items: make(before.items) })) };
}

interface ListProps<Item> {
    list: ShownList<Item>;
    /** what is said if there is nothing */
    empty: string;
    children(item: Item): ComponentChildren;
    keyOf(item: Item): string;
    class?: string;
    label: string;
}

export function Items<Item>({ list: { items, state, more, problem, load }, empty, children, keyOf, label, class: name = 'rows' }: ListProps<Item>): JSX.Element {
    const { t } = useKit();
    return (
        <div class="items" aria-busy={state === 'loading'}>
            {state === 'ready' && items.length === 0 && <p class="empty">{empty}</p>}
            {items.length > 0 && <ul class={name} aria-label={label}>{items.map((item) => <li key={keyOf(item)}>{children(item)}</li>)}</ul>}
            {state === 'loading' && items.length === 0 && <p class="loading" role="status">{t('page.loading')}</p>}
            {state === 'failed' && <p class="problem" role="alert">{problem}</p>}
            {(more || (state === 'loading' && items.length > 0)) && <button type="button" class="quiet more" aria-disabled={state === 'loading'} onClick={() => void (state === 'loading' ? undefined : load())}>{t('ui.more')}</button>}
        </div>
    );
}
