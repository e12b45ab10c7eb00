/** The outcome of a write: acknowledged, or found out after its response was lost. */
interface Born {
    kind: string;
    /** rows that carry the mark, if it was done */
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
 * What the authors of a load expect to be stored, for the checker. Everything that a write creates carries its own mark, so
 * that unknown or duplicate rows are found too.
 */
export class Journal {
    /** failures, as messages */
    readonly findings: string[] = [];
    /** outcomes, by the mark that the rows carry */
    readonly born = new Map<string, Born>();
    /** the remixes of a source, by its id */
    readonly remixes = new Map<string, Set<string>>();
    readonly usernames = new Set<string>();
    /** writes that were acknowledged, by kind */
    readonly acknowledged = new Tally();
    /** writes whose response was lost or 503, by kind */
    readonly lost = new Tally();
    /** the outcomes of those: found done, found undone, response after a retry */
    readonly found = new Tally();
    /** responses by status */
    readonly statuses = new Tally();
    readonly #prefix: string;
    #marks = 0;

    /** Several journals for one database need different prefixes. */
    constructor(prefix = '') {
        this.#prefix = prefix;
    }

    /** A unique mark or key. */
    mark(kind: string): string {
        return `${this.#prefix}${kind}-${String(++this.#marks).padStart(8, '0')}`;
    }

    find(words: string): void {
        this.findings.push(words);
    }

    /** Notes what a write has created. */
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
