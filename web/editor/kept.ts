import type { Piece } from './document.js';

/** A version of something that was given up when two people had changed the same. */
export interface Kept {
    id: string;
    at: string;
    piece: Piece;
}

/** So many are kept of each project, the latest. */
const MOST = 30;

/** The edits that somebody has given up in a project, kept in this browser. */
export class KeptVersions {
    readonly #key: string;

    constructor(userId: string | undefined, projectId: string) {
        this.#key = `pagewright kept ${userId} ${projectId}`;
    }

    /** the latest first */
    list(): Kept[] {
        return JSON.parse(localStorage.getItem(this.#key) ?? '[]');
    }

    add(piece: Piece): void {
        this.#write([{ id: crypto.randomUUID(), at: new Date().toISOString(), piece }, ...this.list()].slice(0, MOST));
    }

    remove({ id }: Kept): void {
        this.#write(this.list().filter((one) => one.id !== id));
    }

    #write(kept: readonly Kept[]): void {
        for (let count = kept.length; count >= 0; --count) {
            try {
                localStorage.setItem(this.#key, JSON.stringify(kept.slice(0, count)));
                return;
            }
            catch {
                // The storage is full: without the oldest then.
            }
        }
    }
}
