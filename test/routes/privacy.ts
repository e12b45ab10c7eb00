import { callers } from './route';
import type { Caller, Expected, Privacy, State } from './route';

/** Who may read a project in this state. */
const readers: Readonly<Record<State, readonly Caller[]>> = {
    public: callers,
    unlisted: callers,
    private: ['viewer', 'editor', 'owner', 'moderator'],
    held: ['owner', 'moderator']
};

export const everybody = ['stranger', 'removed', 'viewer', 'editor', 'owner', 'moderator'] as const;
export const writers = ['owner', 'editor'] as const;
export const removers = ['owner', 'editor', 'moderator'] as const;
export const members = ['owner', 'editor', 'viewer', 'moderator'] as const;

export const isKnown = (caller: Caller): boolean => caller !== 'guest' && caller !== 'bad';
export const inside = (state: State, caller: Caller): boolean => readers[state].includes(caller);

/** A public route: a token is looked at only if there is nothing for everybody. */
export const read: Expected = (state, caller) => (inside(state, caller) ? 200 : caller === 'bad' ? 401 : 404);

/** A route for those who are named. */
export function only(ok: number, ...named: Caller[]): Expected {
    return (state, caller) => (!isKnown(caller) ? 401 : !inside(state, caller) ? 404 : named.includes(caller) ? ok : 403);
}

/** A route about a user, which is for that user, the owner, alone; also for moderators if they are named. */
export function own(ok: number, ...more: Caller[]): Expected {
    return (_state, caller) => (!isKnown(caller) ? 401 : caller === 'owner' || more.includes(caller) ? ok : 403);
}

/** A route for moderators, who may read all: nobody else is told what there is. */
export function moderators(ok: number): Expected {
    return (_state, caller) => (!isKnown(caller) ? 401 : caller === 'moderator' ? ok : 403);
}

/** A list of what is public. */
export const list: Privacy = { expected: () => 200, shows: (state) => state === 'public' };

/** Who finds a project in a collection: its owner and members too, and moderators only as everybody. */
export const collected = (state: State, caller: Caller): boolean => state === 'public' || caller === 'owner' || (state !== 'held' && (caller === 'viewer' || caller === 'editor'));

/** A write to a collection that is private to the owner. */
export const hidden: Expected = (_state, caller) => (!isKnown(caller) ? 401 : caller === 'owner' ? 200 : 404);
