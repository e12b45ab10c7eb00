/*
 * Whose wall is read next. A wall of 5,000 projects takes a hundred times as long as one of fifty, and one reader can watch several: so
 * readers take turns by what was read for each (weighted fair queueing: first is what would be done first if all were read at once), and
 * after a read its reader rests. However much the others watch, a small wall waits for one read of another.
 */

/** Milliseconds between two reads of a wall. An edit is to be seen within two seconds, with the time to read the class again. */
export const READ_EVERY = 500;
/** After a read, its reader rests this many times as long as it took, but not longer than so many milliseconds: for one reader, it uses a quarter of a connection at most. */
const REST = 3;
const LONGEST_REST = 10_000;
/** Walls that are read at once: so many, if they took so many milliseconds together the last time. One that was not read yet is read alone. */
const MAX_READ = 20;
const LIGHT = 20;

interface Reader {
    walls: number;
    /** milliseconds of reads for them, on the clock of all turns */
    spent: number;
    restsUntil: number;
}

interface Wall {
    /** how often each reader watches it */
    readers: Map<string, number>;
    dueAt: number;
    /** milliseconds that it took the last time */
    cost: number | null;
}

interface Candidate {
    id: string;
    wall: Wall;
    reader: Reader;
    /** of the reader, on the clock of all turns */
    start: number;
    /** where the reader will be after it, as far as is known */
    end: number;
}

/** The turns of walls, by the ids of classes. Times are milliseconds of one clock. */
export class WallTurns {
    readonly #walls = new Map<string, Wall>();
    readonly #readers = new Map<string, Reader>();
    /** where the reader began whose turn was the last */
    #clock = 0;
    #taken: Candidate[] = [];

    /** Notes that somebody watches a wall, which is due at once. */
    add(id: string, reader: string): void {
        const wall = this.#walls.get(id) ?? { readers: new Map<string, number>(), dueAt: 0, cost: null };
        wall.dueAt = 0;
        wall.readers.set(reader, (wall.readers.get(reader) ?? 0) + 1);
        this.#walls.set(id, wall);
        const one = this.#readers.get(reader) ?? { walls: 0, spent: 0, restsUntil: 0 };
        one.walls += 1;
        this.#readers.set(reader, one);
    }

    /** Notes that they do so no longer, as often as they were added. */
    remove(id: string, reader: string): void {
        const wall = this.#walls.get(id);
        const one = this.#readers.get(reader);
        const count = wall?.readers.get(reader);
        if (wall === undefined || one === undefined || count === undefined) {
            return;
        }

        if (count > 1) {
            wall.readers.set(reader, count - 1);
        }
        else {
            wall.readers.delete(reader);
        }

        if (wall.readers.size === 0) {
            this.#walls.delete(id);
        }

        one.walls -= 1;
        if (one.walls === 0) {
            this.#readers.delete(reader);
        }
    }

    /** The walls to read now, of whoever has got least; none if none is due. */
    next(now: number): string[] {
        const due: Candidate[] = [];
        for (const [id, wall] of this.#walls) {
            const least = wall.dueAt <= now ? this.#leastOf(wall, now) : undefined;
            if (least !== undefined) {
                const start = Math.max(this.#clock, least.spent);
                due.push({ id, wall, reader: least, start, end: start + (wall.cost ?? LIGHT) });
            }
        }

        due.sort((one, other) => one.end - other.end || one.wall.dueAt - other.wall.dueAt);
        const [first] = due;
        if (first === undefined) {
            return [];
        }

        this.#clock = first.start;
        let sum = 0;
        const light = due.filter(({ wall: { cost } }) => {
            sum += cost ?? LIGHT + 1;
            return sum <= LIGHT;
        });
        this.#taken = light.length === 0 || light[0] !== first ? [first] : light.slice(0, MAX_READ);
        return this.#taken.map(({ id }) => id);
    }

    /** Notes that the walls of `next` were read, and how long that took. */
    done(took: number, now: number): void {
        const cost = took / this.#taken.length;
        for (const { wall, reader, start } of this.#taken) {
            wall.cost = cost;
            wall.dueAt = now + READ_EVERY;
            reader.spent = Math.max(reader.spent, start) + cost;
            reader.restsUntil = now + Math.min(LONGEST_REST, REST * cost);
        }

        this.#taken = [];
    }

    /** The reader of a wall who does not rest and has got least. */
    #leastOf({ readers }: Wall, now: number): Reader | undefined {
        let least: Reader | undefined;
        for (const id of readers.keys()) {
            const one = this.#readers.get(id);
            if (one !== undefined && one.restsUntil <= now && (least === undefined || one.spent < least.spent)) {
                least = one;
            }
        }

        return least;
    }
}
