/** A change that was undone, and the one that took it back, by revision. */
export interface Undone {
    revision: number;
    by: number;
    /** what is undone and done again together */
    step?: string | undefined;
}

export type Mark = 'edit' | 'undo' | 'redo';

/** The changes that were undone, and what was done since. */
export interface State {
    undone: Undone[];
    /** the change that brought a change back, by its revision */
    redone: [number, number][];
    /** revisions of saves that took something back, or brought it back, without a connection */
    skipped: number[];
    /** what was done since all was saved last, oldest first */
    marks: Mark[];
    /** the step of each save that the service has, by the time of it */
    steps: [string, string][];
}

/** The undone changes of this tab. They stay when the page is loaded again. */
export class UndoState {
    readonly #key: string;

    constructor(projectId: string) {
        this.#key = `pagewright undone ${projectId}`;
    }

    read(): State {
        return { undone: [], redone: [], skipped: [], marks: [], steps: [], ...JSON.parse(sessionStorage.getItem(this.#key) ?? '{}') };
    }

    write(state: State): void {
        sessionStorage.setItem(this.#key, JSON.stringify(state));
    }
}
