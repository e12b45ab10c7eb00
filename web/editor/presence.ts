import type { Client, Present, Project } from '../../client/src/index.js';

/** A place on a page, in its units. */
export interface Place {
    left: number;
    top: number;
}

/** Where somebody is. */
export type PresenceState = Pick<Present, 'page' | 'selected'>;

/** Milliseconds between two times of asking who is there: while nobody else is, while somebody is, and at least, if one has moved. */
const PAUSE = { alone: 4000, together: 1000, moved: 500 };
/** Milliseconds for an answer. */
const PATIENCE = 6000;
/** The most chosen elements that the service takes. */
const MAX_SELECTED = 20;
/** Largest coordinate of a cursor that the service takes. */
const FARTHEST = 10_000;

const colors = ['#b3261e', '#1c5fc4', '#2e6b1f', '#8a3ea0', '#8a4b00', '#00696b', '#a8005e', '#4a5568'] as const;

/** The color of somebody: the same on everybody's screen, and another for each of those whose accounts were opened one after the other, as those of a class are. */
export const colorOf = ({ user: { id } }: Pick<Present, 'user'>): string => colors[Number(id.slice(-6)) % colors.length] ?? colors[0];

const bounded = (value: number): number => Math.max(-FARTHEST, Math.min(FARTHEST, Math.round(value)));

/** Says where one is in a project while its window can be seen, and knows who else is there. */
export class Presence {
    others: readonly Present[] = [];
    readonly #ask: (signal: AbortSignal) => Promise<Present[]>;
    readonly #where: () => PresenceState | null;
    readonly #changed: (arrived: readonly Present[]) => void;
    #cursor: Place | null = null;
    #last = '';
    #lastAt = 0;
    #timer: ReturnType<typeof setTimeout> | undefined;
    #isAsking = false;
    #isClosed = false;

    /**
     * @param where where one is now, in the service's ids; null if one may only look, which is not told
     * @param changed called when others have come, moved or gone, with those who have come
     */
    constructor(client: Client, project: Pick<Project, 'id' | 'user_id'>, where: () => PresenceState | null, changed: (arrived: readonly Present[]) => void) {
        this.#where = where;
        this.#changed = changed;
        this.#ask = async (signal) => {
            const here = where();
            return here === null ? [] : await client.members.present(project, { page: here.page, selected: here.selected.slice(0, MAX_SELECTED), cursor: this.#cursor }, { signal });
        };

        document.addEventListener('visibilitychange', this.#turn);
        this.#turn();
    }

    /** Where the pointer is; null if it is not on the page. */
    point(place: Place | null): void {
        this.#cursor = place && { left: bounded(place.left), top: bounded(place.top) };
        this.moved();
    }

    /** One may be elsewhere now. */
    moved(): void {
        if (this.others.length > 0 && !this.#isAsking && this.#now() !== this.#last) {
            this.#in(Math.max(0, this.#lastAt + PAUSE.moved - performance.now()));
        }
    }

    close(): void {
        this.#isClosed = true;
        clearTimeout(this.#timer);
        document.removeEventListener('visibilitychange', this.#turn);
        this.#show([]);
    }

    #now(): string {
        return JSON.stringify([this.#where(), this.#cursor]);
    }

    #in(milliseconds: number): void {
        clearTimeout(this.#timer);
        if (!this.#isClosed && document.visibilityState === 'visible') {
            this.#timer = setTimeout(() => void this.#tell(), milliseconds);
        }
    }

    readonly #turn = (): void => {
        if (!this.#isAsking) {
            this.#in(0);
        }
    };

    async #tell(): Promise<void> {
        this.#isAsking = true;
        this.#last = this.#now();
        this.#lastAt = performance.now();
        // Without an answer nobody is known to be there.
        const others = await this.#ask(AbortSignal.timeout(PATIENCE)).catch(() => []);
        this.#isAsking = false;
        if (!this.#isClosed) {
            this.#show(others);
            this.#in(others.length === 0 ? PAUSE.alone : this.#now() === this.#last ? PAUSE.together : PAUSE.moved);
        }
    }

    #show(others: readonly Present[]): void {
        const before = this.others;
        this.others = others;
        if (JSON.stringify(before) !== JSON.stringify(others)) {
            this.#changed(others.filter(({ user }) => !before.some((one) => one.user.id === user.id)));
        }
    }
}
