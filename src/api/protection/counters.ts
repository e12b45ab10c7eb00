import { LRUCache } from 'lru-cache';

import type { Database } from '../../database/statements/connection';
import { lookupTogether, run, statement } from '../../database/statements/statement';
import { defined } from '../errors/defined';

/** Milliseconds that counts are collected for one statement. So each further instance lets through at most what reaches it within that time, and never more than a limit. */
const COLLECT = 250;

/** Most keys that are remembered; others are read again. */
const MAX_KEYS = 100_000;

/** Most keys that one statement writes. */
const MAX_WRITTEN = 500;

/** So many requests (`points`) are allowed within so many seconds (`duration`). */
export interface Limit {
    points: number;
    duration: number;
}

/** Requests of one key, from its first one until `end`. */
interface Window {
    /** milliseconds since 1970 */
    end: number;
    /** those of all instances, as far as they are known here */
    points: number;
    /** those among them that only this process knows */
    unwritten: number;
}

/** A request that counts under a key. */
export interface Counted {
    readonly key: string;
    readonly limit: Limit;
}

/** Points left to a key. */
export interface Left {
    points: number;
    /** milliseconds until the window ends */
    ms: number;
}

const read = lookupTogether({ parameters: ['text'], row: { points: 'integer', expire: 'bigint' } }, 'select points, coalesce(expire, 0) as expire from rate_limits where key = $1');

// In order of the keys, so that instances wait for each other and no deadlock is made.
const write = statement({ parameters: ['text[]', 'integer[]', 'bigint[]', 'bigint'], row: { key: 'text', points: 'integer', expire: 'bigint' } }, `
    insert into rate_limits as r (key, points, expire)
    select n.key, n.points, n.expire from unnest($1::text[], $2::int[], $3::bigint[]) as n (key, points, expire) order by n.key
    on conflict (key) do update set
        points = case when r.expire > $4 then greatest(r.points + excluded.points, 0) else greatest(excluded.points, 0) end,
        expire = case when r.expire > $4 then r.expire else excluded.expire end
    returning key::text as key, points, coalesce(expire, 0) as expire`);

/**
 * Counts requests in memory, and writes them to the database together, for all instances. A key that this process does not know, or whose window has ended, is read first; a request beyond
 * a limit is refused from memory until the window ends. No request waits for a lock.
 */
export class Counters {
    readonly #db: Database;
    readonly #now: () => number;
    readonly #windows = new LRUCache<string, Window>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
    /** those with something unwritten, also if they are forgotten above */
    readonly #unwritten = new Map<string, Window>();
    #writing: Promise<void> | undefined;
    #timer: NodeJS.Timeout | undefined;

    constructor(db: Database, now: () => number) {
        this.#db = db;
        this.#now = now;
    }

    /** Counts a request under all of these keys, or under none if one of them has nothing left. @returns what each has left, and whether it was counted */
    async count(all: readonly Counted[]): Promise<{ counted: boolean; left: Left[] }> {
        const windows = await Promise.all(all.map(async (one) => ({ ...one, window: await this.#window(one) })));
        const now = this.#now();
        const counted = windows.every(({ window, limit }) => window.points < limit.points);
        if (counted) {
            windows.forEach(({ key, window }) => this.#add(key, window, 1));
        }

        return { counted, left: windows.map(({ window, limit }) => ({ points: Math.max(0, limit.points - window.points), ms: window.end - now })) };
    }

    /** Takes back what was counted, unless that window has ended. @returns what each key has left now */
    takeBack(all: readonly Counted[]): Left[] {
        const now = this.#now();
        return all.map(({ key, limit }) => {
            const window = this.#known(key);
            if (window === undefined || window.points === 0) {
                return { points: limit.points, ms: limit.duration * 1000 };
            }

            this.#add(key, window, -1);
            return { points: Math.max(0, limit.points - window.points), ms: window.end - now };
        });
    }

    /** Writes what is not written yet. What cannot be written is written later. */
    async write(): Promise<void> {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        await this.#writing;
        this.#writing = this.#writeAll();
        await this.#writing;
    }

    /** The window of a key, if it is known and has not ended. */
    #known(key: string): Window | undefined {
        const window = this.#windows.get(key) ?? this.#unwritten.get(key);
        return window !== undefined && window.end > this.#now() ? window : undefined;
    }

    /** The window of a key, perhaps a new one. */
    async #window({ key, limit }: Counted): Promise<Window> {
        const known = this.#known(key);
        if (known !== undefined) {
            return known;
        }

        const [found] = await run(this.#db, read, [key]);
        // Others may have read it meanwhile, and counted.
        const window = this.#known(key) ?? this.#windowOf(limit, found);
        this.#windows.set(key, window);
        return window;
    }

    #windowOf({ duration }: Limit, found: { points: number; expire: string } | undefined): Window {
        const end = Number(found?.expire ?? 0);
        return found !== undefined && end > this.#now() ? { end, points: Math.max(0, found.points), unwritten: 0 } : { end: this.#now() + duration * 1000, points: 0, unwritten: 0 };
    }

    #add(key: string, window: Window, points: 1 | -1): void {
        window.points += points;
        window.unwritten += points;
        this.#unwritten.set(key, window);
        this.#timer ??= setTimeout(() => void this.write(), COLLECT).unref();
    }

    async #writeAll(): Promise<void> {
        const all = [...this.#unwritten];
        for (let from = 0; from < all.length; from += MAX_WRITTEN) {
            const batch = all.slice(from, from + MAX_WRITTEN);
            const now = this.#now();
            // Of a window that has ended nothing is written: another one may have begun.
            const changed = batch.filter(([, { unwritten, end }]) => unwritten !== 0 && end > now).map(([key, window]) => ({ key, window, points: window.unwritten }));
            changed.forEach(({ window }) => {
                window.unwritten = 0;
            });
            try {
                const rows = changed.length === 0 ? [] : await run(this.#db, write, [changed.map(({ key }) => key), changed.map(({ points }) => points), changed.map(({ window }) => window.end), now]);
                const written = new Map(changed.map(({ key, window }) => [key, window]));
                for (const { key, points, expire } of rows) {
                    const window = defined(written.get(key));
                    Object.assign(window, { points: points + window.unwritten, end: Number(expire) });
                }
            }
            catch {
                changed.forEach(({ window, points }) => {
                    window.unwritten += points;
                });
                this.#timer ??= setTimeout(() => void this.write(), COLLECT).unref();
                return;
            }

            for (const [key, window] of batch) {
                if (this.#unwritten.get(key) === window && (window.unwritten === 0 || window.end <= now)) {
                    this.#unwritten.delete(key);
                }
            }
        }
    }
}
