import type { Method, ThingType } from '../../api/representations/things';

/** The revisions of a source between which it is compared. */
export interface Span {
    remix: string;
    source: string;
    since: number;
    revision: number;
}

/** Something that the source changed. */
export interface SourceChange {
    type: ThingType;
    /** in the remix; null if it has none yet, or none any more */
    id: string | null;
    source_id: string;
    method: Method;
    /** JSON Pointers of what was changed in it */
    fields: string[];
    /** null if there is no conflict; JSON Pointers of what both sides changed, none if the conflict is about the whole thing */
    conflicts: string[] | null;
}

/** The new state of a page or an element of the remix. */
export interface PullTarget {
    id: string;
    source_id?: string;
    shown: boolean;
    /** columns that get the value of the source */
    theirs: string[];
    [column: string]: unknown;
}

/** A new page, which is a copy of a page of the source. */
export interface NewPage {
    id: string;
    source_id: string;
    x: number;
    y: number;
}
