import { defined } from '../errors/defined';

/** Whose turn it is: somebody, or the groups that they are in, largest first, such as an address and an account. Groups take turns, and in a group those that are in it. */
export type Turn = string | readonly string[];

/** A queue for long work of one kind, of which a limited number of pieces run at a time, shared fairly between callers. */
export interface WorkQueue {
    /**
     * Runs work when it is its turn.
     * @param turn whose it is; all who name nobody are one caller
     * @param signal takes the work out of the queue while it waits
     * @throws the reason of the signal, if it is aborted before the work begins
     */
    run<Result>(work: () => Promise<Result>, turn?: Turn, signal?: AbortSignal): Promise<Result>;
    /** whether new work of this caller would begin at once */
    isFree(turn?: Turn): boolean;
    /** how many waiting pieces new work of this caller would wait for */
    ahead(turn?: Turn): number;
    /** Milliseconds that new work of this caller would wait, estimated from how long the work before took. */
    wait(turn?: Turn): number;
}

/** Weight of the newest piece of work in the moving average of durations. */
const NEWEST = 0.1;

const pathOf = (turn: Turn): readonly string[] => (typeof turn === 'string' ? [turn] : turn);

/** The queue of a group. */
class Group {
    readonly #own: (() => void)[] = [];
    /** the groups in it that wait; whose turn is next comes first. One in which nothing waits is not kept */
    readonly #groups = new Map<string, Group>();
    #count = 0;

    add([name, ...rest]: readonly string[], piece: () => void): void {
        this.#count++;
        if (name === undefined) {
            this.#own.push(piece);
            return;
        }

        const group = this.#groups.get(name) ?? new Group();
        this.#groups.set(name, group);
        group.add(rest, piece);
    }

    remove([name, ...rest]: readonly string[], piece: () => void): void {
        this.#count--;
        if (name === undefined) {
            this.#own.splice(this.#own.indexOf(piece), 1);
            return;
        }

        const group = defined(this.#groups.get(name));
        group.remove(rest, piece);
        if (group.#count === 0) {
            this.#groups.delete(name);
        }
    }

    /** Takes the piece whose turn it is. @param may whether a group in this one may have a turn @returns the piece and the group; undefined if none may */
    take(may: (name: string) => boolean = () => true): { piece: () => void; name: string } | undefined {
        const piece = this.#own.shift();
        if (piece !== undefined) {
            this.#count--;
            return { piece, name: '' };
        }

        for (const [name, group] of this.#groups) {
            if (may(name)) {
                this.#count--;
                // Behind all others again.
                this.#groups.delete(name);
                const taken = defined(group.take());
                if (group.#count > 0) {
                    this.#groups.set(name, group);
                }

                return { piece: taken.piece, name };
            }
        }

        return undefined;
    }

    /** How many pieces go before a new one. If it is the n-th of its group, up to n of each other group do. */
    ahead([name, ...rest]: readonly string[]): number {
        if (name === undefined) {
            return this.#own.length;
        }

        const within = this.#groups.get(name)?.ahead(rest) ?? 0;
        return [...this.#groups].reduce((sum, [other, group]) => (other === name ? sum : sum + Math.min(group.#count, within + 1)), within);
    }

    /** Pieces ahead in a group. */
    aheadIn([name, ...rest]: readonly [string, ...string[]]): number {
        return this.#groups.get(name)?.ahead(rest) ?? 0;
    }
}

/**
 * Runs at most `most` pieces of long work at a time; the others wait. Otherwise they would take all connections of the pool,
 * or all processors, and short reads would wait for one. Callers who wait take turns, one piece each, so one caller's many
 * pieces do not hold up another's first.
 * @param mostOfOne pieces of one caller (of the largest group) that run at a time; if it is less than `most`, there is always a place for another caller
 */
export function workQueue(most: number, mostOfOne = most): WorkQueue {
    const waiting = new Group();
    /** how many pieces run by the largest group */
    const running = new Map<string, number>();
    let free = most;
    /** moving average of how long a piece takes, in milliseconds */
    let lasts: number | undefined;

    const groupOf = (turn: Turn): [string, ...string[]] => {
        const [name = '', ...rest] = pathOf(turn);
        return [name, ...rest];
    };

    const mayRun = (name: string): boolean => free > 0 && (running.get(name) ?? 0) < mostOfOne;

    const begin = (name: string): void => {
        --free;
        running.set(name, (running.get(name) ?? 0) + 1);
    };

    const end = (name: string): void => {
        ++free;
        const left = defined(running.get(name)) - 1;
        if (left === 0) {
            running.delete(name);
        }
        else {
            running.set(name, left);
        }
    };

    const beginNext = (): void => {
        const next = waiting.take(mayRun);
        if (next !== undefined) {
            begin(next.name);
            next.piece();
        }
    };

    const untilTurn = (path: readonly string[], signal: AbortSignal | undefined): Promise<void> => new Promise((resolve, reject) => {
        const next = (): void => {
            signal?.removeEventListener('abort', leave);
            resolve();
        };

        const leave = (): void => {
            waiting.remove(path, next);
            reject(signal?.reason);
        };

        signal?.addEventListener('abort', leave, { once: true });
        waiting.add(path, next);
    });

    return {
        run: async (work, turn = '', signal) => {
            signal?.throwIfAborted();
            const path = groupOf(turn);
            if (mayRun(path[0])) {
                begin(path[0]);
            }
            else {
                await untilTurn(path, signal);
            }

            const began = performance.now();
            try {
                return await work();
            }
            finally {
                const lasted = performance.now() - began;
                lasts = lasts === undefined ? lasted : lasts + NEWEST * (lasted - lasts);
                end(path[0]);
                beginNext();
            }
        },
        isFree: (turn = '') => mayRun(groupOf(turn)[0]),
        ahead: (turn = '') => waiting.ahead(groupOf(turn)),
        wait: (turn = '') => Math.max(waiting.ahead(groupOf(turn)) / most, waiting.aheadIn(groupOf(turn)) / mostOfOne) * (lasts ?? 0)
    };
}

/** How many pieces of long work of one kind may run on a pool of connections: a fifth of it, at least 1. */
export const shareOf = (pool: number): number => Math.max(1, Math.floor(pool / 5));
