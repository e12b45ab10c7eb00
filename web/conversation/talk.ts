import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { CommentSettings, Commented, Named } from './service';
import type { Threads } from './threads';

/** The properties of everything in a conversation. */
export interface Talk {
    project: Commented;
    /** the ids of its pages in reading order, as far as they are known */
    pages: readonly string[];
    /** undefined until they are read */
    settings: CommentSettings | undefined;
    threads: Threads;
    /** ids of people whom the reader has blocked */
    blocked: ReadonlySet<string>;
    setBlocked(id: string, is: boolean): void;
    /** the page that is shown here; undefined if none is */
    page: string | undefined;
    /** the name of somebody, as the reader's class has it where its people alone comment */
    nameOf(one: Named): string;
    /** moves the focus to a comment, and tells what was done with it */
    done(comment: string, text: string): void;
    /** shows where on the page an element is; undefined where that cannot be */
    point?(element: string): void;
}

export const TalkContext = createContext<Talk | undefined>(undefined);

export function useTalk(): Talk {
    const talk = useContext(TalkContext);
    if (talk === undefined) {
        throw new TypeError('A component was used outside of a conversation');
    }

    return talk;
}
