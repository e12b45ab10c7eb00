import { LRUCache } from 'lru-cache';

import { notesUses } from '../../accounts/tokens/fragments';
import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

/** Milliseconds that uses are collected for one statement. */
const COLLECT = 1000;

/** Most tokens whose use is remembered, and most that one statement writes. */
const MOST = 50_000;
const MAX_WRITTEN = 500;

const HOUR = 3_600_000;

const write = statement({ parameters: ['bytea[]'] }, notesUses('$1'));

/** Notes in which hour tokens were last used. No request waits for that: a token is written after its first use in an hour, together with others. */
export class TokenUses {
    readonly #db: Database;
    readonly #now: () => number;
    /** The hour that was last noted, by hash. With `max`, arrays for as many would be made at once, which takes a start six milliseconds. */
    readonly #noted = new LRUCache<string, number>({ maxSize: MOST, sizeCalculation: () => 1 });
    #pending: Buffer[] = [];
    #writing: Promise<void> | undefined;
    #timer: NodeJS.Timeout | undefined;

    constructor(db: Database, now: () => number) {
        this.#db = db;
        this.#now = now;
    }

    /** @param hash of a token that is valid */
    note(hash: Buffer): void {
        const key = hash.toString('latin1');
        const hour = Math.floor(this.#now() / HOUR);
        if (this.#noted.get(key) !== hour) {
            this.#noted.set(key, hour);
            this.#pending.push(hash);
            this.#timer ??= setTimeout(() => void this.write(), COLLECT).unref();
        }
    }

    /** Writes what was noted. What could not be written is noted again by the next use. */
    async write(): Promise<void> {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        await this.#writing;
        this.#writing = this.#writePending();
        await this.#writing;
    }

    async #writePending(): Promise<void> {
        for (let batch = this.#pending.splice(0, MAX_WRITTEN); batch.length > 0; batch = this.#pending.splice(0, MAX_WRITTEN)) {
            const hashes = batch;
            await run(this.#db, write, [hashes]).catch(() => hashes.forEach((hash) => this.#noted.delete(hash.toString('latin1'))));
        }
    }
}
