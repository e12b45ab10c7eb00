import type { Cast, Target } from '../../test/support/cast';
import type { Draft, Kind, Known } from './drafts';
import { DRAWING, kinds } from './drafts';
import type { Knowing, Sent } from './requests';
import type { Sender } from './usual';

/** An existing or deleted thing, and the ids in its path. */
interface Thing {
    kind: Kind;
    ids: Partial<Record<Kind, string>>;
    revision: number;
}

/** Makes names that nobody has yet. */
let serial = 0;

/** What the requests of one sequence know: two authors with a project each, and what responses have shown. */
export class World implements Knowing {
    readonly #cast: Cast;
    readonly #things = new Map<string, Thing>();
    readonly #usernames: string[] = [];
    readonly #tokens = new Map<string, string>();
    readonly #tags: string[] = [];
    readonly #cursors: string[] = [];
    readonly #bad = new Map<string, string | undefined>();
    /** by the ids of their owners */
    readonly #targets = new Map<string, Target>();
    readonly #owner: Target;
    /** ids by the names of parameters, of what can be done with once */
    readonly #newest: Record<string, string> = {};

    private constructor(cast: Cast, owner: Target) {
        this.#cast = cast;
        this.#owner = owner;
    }

    static async create(cast: Cast): Promise<World> {
        const targets = [await cast.target(), await cast.target()] as const;
        const world = new World(cast, targets[0]);
        for (const target of targets) {
            world.#targets.set(target.user, target);
            world.#tokens.set(target.user, await cast.token(target.user));
            world.#usernames.push(target.username);
            const { user, project, page, element, comment, token } = target;
            world.#add('user', { user }, 1);
            world.#add('project', { user, project }, 1);
            world.#add('page', { user, project, page }, 1);
            world.#add('element', { user, project, page, element }, 1);
            world.#add('comment', { user, project, comment }, 1);
            world.#add('token', { user, token }, 1);
        }

        return world;
    }

    #add(kind: Kind, ids: Thing['ids'], revision: unknown): void {
        this.#things.set(`${kind} ${ids[kind]}`, { kind, ids, revision: Number(revision) });
    }

    #allOf(kind: Kind): Thing[] {
        return [...this.#things.values()].filter((thing) => thing.kind === kind);
    }

    #thingFor({ operation, nth, newest }: Draft): Thing | undefined {
        const kind = [...kinds].reverse().find((name) => operation.path.includes(`{${name}}`)) ?? 'user';
        const things = this.#allOf(kind);
        return newest && kind !== 'user' ? things.at(-1) : things[nth % things.length];
    }

    #targetFor(draft: Draft): Target {
        return this.#targets.get(this.#thingFor(draft)?.ids.user ?? '') ?? this.#owner;
    }

    paramsFor(draft: Draft): Record<string, string> {
        const ids = this.#thingFor(draft)?.ids;
        const target = this.#targetFor(draft);
        const revision = String(this.revisionOf('project', ids?.project));
        return {
            language: 'pt-BR', tag: 'jardim', sha256: DRAWING, ...target, owner: target.username, username: target.member, serial: `fuzz-${++serial}`, revision,
            ...ids, ...draft.newest ? this.#newest : {}
        };
    }

    revisionOf(kind: Known['what'], id: unknown): unknown {
        return this.#things.get(`${kind} ${id}`)?.revision ?? 1;
    }

    valueOf({ what, nth }: Known): unknown {
        switch (what) {
            case 'username':
                return this.#usernames[nth % this.#usernames.length];
            case 'tag':
                return this.#tags[nth % Math.max(1, this.#tags.length)] ?? '"1"';
            case 'cursor':
                return this.#cursors[nth % Math.max(1, this.#cursors.length)] ?? 'MC4xNzY3MjYxNjAwMDAwLjQy';
            case 'revision': {
                const revisions = [...this.#things.values()].map(({ revision }) => revision);
                return revisions[nth % revisions.length];
            }

            default: {
                const things = this.#allOf(what);
                return things[nth % Math.max(1, things.length)]?.ids[what] ?? '1';
            }
        }
    }

    async authorizationFor(draft: Draft): Promise<string | undefined> {
        const { caller, scheme, operation } = draft;
        const target = this.#targetFor(draft);
        if (caller === 'owner') {
            const secret = this.#tokens.get(this.#thingFor(draft)?.ids.user ?? '') ?? this.#tokens.get(target.user);
            return `${scheme} ${secret}`;
        }

        const authorization = await this.#authorizationOf(caller, operation.scopes?.[0] === 'user' ? 'user' : 'projects', target);
        return authorization?.replace('token', scheme);
    }

    /** The other callers are created once, and keep what they have. */
    async #authorizationOf(caller: Exclude<Sender, 'owner'>, scope: 'user' | 'projects', target: Target): Promise<string | undefined> {
        const key = caller === 'scope' ? `${caller} ${scope}` : caller === 'member' ? `${caller} ${target.pupil}` : caller;
        if (!this.#bad.has(key)) {
            const { id, authorization } = await this.#newCaller(caller, target, scope);
            this.#bad.set(key, authorization);
            if (caller === 'stranger' || caller === 'moderator') {
                this.#tokens.set(id, String(authorization).slice('token '.length));
                this.#add('user', { user: id }, 1);
            }
        }

        return this.#bad.get(key);
    }

    async #newCaller(caller: Exclude<Sender, 'owner'>, target: Target, scope: 'user' | 'projects'): ReturnType<Cast['caller']> {
        if (caller !== 'member' && caller !== 'staff') {
            return this.#cast.caller(caller, target, scope);
        }

        const { id, token } = caller === 'staff' ? await this.#cast.staff() : { id: target.pupil, token: await this.#cast.token(target.pupil) };
        return { id, authorization: `token ${token}` };
    }

    /** Learns from a response what exists now. */
    learn({ url, method }: Sent, body: unknown, tag: unknown): void {
        if (typeof tag === 'string' && method !== 'HEAD') {
            this.#tags.unshift(tag);
        }

        const { next, user, token } = Object(body);
        if (typeof next === 'string') {
            this.#cursors.unshift(next);
        }

        // A personal token is shown without its user, and may do less.
        if (typeof token?.access_token === 'string' && user !== undefined) {
            this.#tokens.set(String(user.id), token.access_token);
            this.#add('token', { user: String(user.id), token: String(token.id) }, 1);
        }

        const { announcement, assignment, statements } = Object(body);
        for (const [name, thing] of Object.entries({ announcement, assignment, statement: Array.isArray(statements) ? statements[0] : undefined })) {
            if (thing !== undefined) {
                this.#newest[name] = String(thing.id);
            }
        }

        this.#learnFrom(body, url === '/users');
    }

    #learnFrom(value: unknown, opened: boolean): void {
        if (typeof value !== 'object' || value === null) {
            return;
        }

        const { id, user_id: user, project_id: project, page_id: page, username, permissions, version, revision, reply_to: answered } = Object(value);
        if (answered !== undefined && this.#things.has(`project ${project}`)) {
            this.#add('comment', { ...this.#things.get(`project ${project}`)?.ids, comment: id }, 1);
        }

        if (typeof revision === 'number') {
            // Lists are ignored, because they show what other sequences have created.
            const isOurs = this.#things.has(`user ${user ?? id}`) || opened;
            if (username !== undefined && permissions !== undefined && isOurs) {
                this.#add('user', { user: id }, revision);
                this.#usernames.push(username);
            }
            else if (version !== undefined && isOurs) {
                this.#add('project', { user, project: id }, revision);
            }
            else if (project !== undefined && isOurs) {
                this.#add('page', { user, project, page: id }, revision);
            }
            else if (page !== undefined && isOurs) {
                this.#add('element', { user, project: this.#things.get(`page ${page}`)?.ids.project, page, element: id }, revision);
            }
        }

        Object.values(value).forEach((inner) => this.#learnFrom(inner, opened));
    }
}
