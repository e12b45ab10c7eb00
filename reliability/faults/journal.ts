/** What became of a write: known since it was acknowledged, or found out after its answer was lost. */
interface Born {
    kind: string;
    /** rows that carry the mark where it was done */
    rows: number;
    done: boolean;
    acknowledged: boolean;
}

/** How often something happened, by its name. */
export class Tally {
    readonly counts = new Map<string, number>();

    add(name: string, n = 1): void {
        this.counts.set(name, (this.counts.get(name) ?? 0) + n);
    }

    get(name: string): number {
        return this.counts.get(name) ?? 0;
    }

    total(): number {
        return [...this.counts.values()].reduce((sum, n) => sum + n, 0);
    }

    toString(): string {
        return [...this.counts].filter(([, n]) => n > 0).sort(([, a], [, b]) => b - a).map(([name, n]) => `${n} ${name}`).join(', ');
    }
}

/**
 * What the authors of a load know to be there, for the checker. Whatever a write makes carries a mark that is its own, so
 * that rows which nobody answers for, or twice as many as there should be, show as well.
 */
export class Journal {
    /** what must not be, in words */
    readonly findings: string[] = [];
    /** by the mark that the rows carry */
    readonly born = new Map<string, Born>();
    /** the remixes of a source, by its id */
    readonly remixes = new Map<string, Set<string>>();
    readonly usernames = new Set<string>();
    /** writes that were acknowledged, by kind */
    readonly acknowledged = new Tally();
    /** writes whose answer was lost or 503, by kind */
    readonly lost = new Tally();
    /** what became of those: found done, found undone, answered when sent again */
    readonly found = new Tally();
    /** answers by status */
    readonly statuses = new Tally();
    readonly #prefix: string;
    #marks = 0;

    /** Of several journals of one database, each needs a prefix of its own. */
    constructor(prefix = '') {
        this.#prefix = prefix;
    }

    /** A mark, or key, that nothing else has. */
    mark(kind: string): string {
        return `${this.#prefix}${kind}-${String(++this.#marks).padStart(8, '0')}`;
    }

    find(words: string): void {
        this.findings.push(words);
    }

    /** Notes what a write has made. */
    made(kind: string, mark: string, rows: number, acknowledged: boolean): void {
        this.born.set(mark, { kind, rows, done: true, acknowledged });
    }

    /** Notes that a write was not done, and never will be. */
    unmade(kind: string, mark: string, rows: number): void {
        this.born.set(mark, { kind, rows, done: false, acknowledged: false });
    }

    remixed(source: string, remix: string): void {
        this.remixes.set(source, (this.remixes.get(source) ?? new Set()).add(remix));
    }
}
