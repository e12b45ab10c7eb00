/** Where the changes of a source are looked for: from one revision of it to another. */
export interface Span {
    remix: string;
    source: string;
    since: number;
    revision: number;
}

/** Something that the source changed. */
export interface Change {
    type: 'project' | 'page' | 'element';
    /** in the remix; null if it has none yet, or none any more */
    id: string | null;
    source_id: string;
    method: 'create' | 'update' | 'remove';
    /** JSON Pointers of what was changed in it */
    fields: string[];
    /** null if there is no conflict; JSON Pointers of what both sides changed, none if it is about the whole thing */
    conflicts: string[] | null;
}

/** What a page or an element of the remix is to be. */
export interface Target {
    id: string;
    source_id?: string;
    shown: boolean;
    /** whether the element comes back with its page */
    touched?: boolean;
    /** columns that become what the source has */
    theirs: string[];
    [column: string]: unknown;
}

/** A page that is made, as a copy of one of the source. */
export interface NewPage {
    id: string;
    source_id: string;
    x: number;
    y: number;
}
