import type { Origin } from '../request/client-address';

/** Who a request is from, as far as limits go. */
export interface Caller extends Origin {
    /** the account's id, where a token was checked */
    user: string | undefined;
}

/** Whose turn it is in a queue: addresses take turns (IPv6: a /48, and in it a /64), and in an address its accounts, which cost little to open. */
export const turnOf = ({ user = '', address, network = address }: Caller): readonly string[] => [network, address, user];

/** The most that one caller can have of a total. Everybody of a school can have one address, so an address gets more than a user. */
const usualParts = { user: 1 / 4, address: 1 / 2, network: 3 / 4 };

/** Which limit an amount would exceed: that of the caller, or that of all callers together. */
export type Exceeded = 'caller' | 'total';

/** Something limited that callers hold for a while, such as bytes or connections, and how much of it each of them holds. */
export interface Shares {
    /** Whether the caller can have so much more; undefined if so. A caller who holds nothing can have more than their share, once. */
    exceeded(caller: Caller, amount: number): Exceeded | undefined;
    /** Whether a user holds all that one user can have. */
    isFull(user: string | undefined): boolean;
    add(caller: Caller, amount: number): void;
    /** Takes back what `add` gave to the same caller. */
    remove(caller: Caller, amount: number): void;
}

/**
 * Limits what all callers hold together, and what one user, one address (IPv6: /64) and one IPv6 /48 hold of it, so that
 * one caller cannot use up what others need. What is kept for a caller is dropped as soon as they hold nothing.
 * @param total the most that all callers can hold together
 * @param parts of it that one user, address and network can hold
 */
export function shares(total: number, parts: Readonly<typeof usualParts> = usualParts): Shares {
    /** Amounts by user id, address and network. Ids are digits, addresses have dots or colons, and networks end in `/48`. */
    const held = new Map<string, number>();
    let all = 0;

    const exceeds = (key: string | undefined, part: number, amount: number): boolean => {
        const before = key === undefined ? undefined : held.get(key);
        return before !== undefined && before + amount > total * part;
    };

    const change = (key: string | undefined, amount: number): void => {
        if (key === undefined) {
            return;
        }

        const after = (held.get(key) ?? 0) + amount;
        if (after === 0) {
            held.delete(key);
        }
        else {
            held.set(key, after);
        }
    };

    const changeAll = ({ user, address, network }: Caller, amount: number): void => {
        all += amount;
        change(user, amount);
        change(address, amount);
        change(network, amount);
    };

    return {
        exceeded: ({ user, address, network }, amount) => {
            if (exceeds(user, parts.user, amount) || exceeds(address, parts.address, amount) || exceeds(network, parts.network, amount)) {
                return 'caller';
            }

            return all + amount > total ? 'total' : undefined;
        },
        isFull: (user) => user !== undefined && (held.get(user) ?? 0) >= total * parts.user,
        add: changeAll,
        remove: (caller, amount) => changeAll(caller, -amount)
    };
}
