import type { Client, Member, PagewrightError } from '../../client/src/index.js';
import type { Doc } from './document.js';

export type Role = Member['role'] | 'owner';

/** Milliseconds between two looks at it. */
const PAUSE = 15_000;

/** The role of whoever edits. The author can end it at any time, also of a project that everybody may read. */
export class OwnRole {
    role: Role;
    readonly #client: Client;
    readonly #project: Doc['project'];
    readonly #changed: (role: Role | null) => void;
    readonly #timer: ReturnType<typeof setInterval> | undefined;
    #isClosed = false;

    /** @param changed called with another role, or with null once there is none */
    constructor(client: Client, project: Doc['project'], role: Role, changed: (role: Role | null) => void) {
        this.#client = client;
        this.#project = project;
        this.role = role;
        this.#changed = changed;
        this.#timer = role === 'owner' ? undefined : setInterval(() => void this.check(), PAUSE);
    }

    /** Looks whether it is still the same. */
    async check(): Promise<void> {
        const id = this.#client.session?.user.id;
        if (id === undefined || this.#isClosed) {
            return;
        }

        const role = await this.#client.members.list(this.#project).then((members) => members.find(({ user }) => user.id === id)?.role ?? null, ({ status }: Partial<PagewrightError>) => (status === 403 || status === 404 ? null : undefined));
        if (role !== undefined && role !== this.role && !this.#isClosed) {
            this.role = role ?? this.role;
            this.#changed(role);
        }
    }

    /** Looks no more. */
    close(): void {
        this.#isClosed = true;
        clearInterval(this.#timer);
    }
}
