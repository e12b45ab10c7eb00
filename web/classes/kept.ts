import { isObject } from '../../src/api/json/is-object';
import { KEPT_HOURS } from '../../src/limits';

/** A request for new accounts that was sent: with the same key the service shows their pass-phrases again. */
export interface Sent {
    key: string;
    names: string[];
    /** in milliseconds since 1970 */
    at: number;
    /** usernames of those whose sheets were not closed, and whose pass-phrases have not ended; undefined until the service has answered */
    open?: string[];
}

/** An hour less than the service keeps them, as clocks differ: later, the same request would open other accounts. */
const KEPT = (KEPT_HOURS - 1) * 3600 * 1000;

/** 128 random bits. */
export const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isSent = (value: unknown): value is Sent => isObject(value) && typeof value.key === 'string' && typeof value.at === 'number' && isTexts(value.names) && (value.open === undefined || isTexts(value.open));

/**
 * The requests for new accounts of a class whose sheets a teacher has not closed. They are in this tab alone, and outlive that it is reloaded.
 * The pass-phrases themselves are not kept.
 */
export class SentRequests {
    readonly #place: string;

    constructor(classId: string, teacherId: string) {
        this.#place = `pagewright new pupils ${classId} ${teacherId}`;
    }

    list(now = Date.now()): Sent[] {
        try {
            const kept: unknown = JSON.parse(sessionStorage.getItem(this.#place) ?? '[]');
            return Array.isArray(kept) ? kept.filter(isSent).filter(({ at }) => now - at < KEPT) : [];
        }
        catch {
            return [];
        }
    }

    keep(sent: Sent): void {
        this.#write([...this.list().filter(({ key }) => key !== sent.key), sent]);
    }

    drop(...keys: readonly string[]): void {
        this.#write(this.list().filter(({ key }) => !keys.includes(key)));
    }

    /** Shows the sheet of a pupil no more: the pass-phrase on it has ended. */
    forget(username: string | null): void {
        this.#write(this.list().map((sent) => ({ ...sent, open: sent.open?.filter((each) => each !== username) })).filter(({ open }) => open?.length !== 0));
    }

    #write(all: readonly Sent[]): void {
        sessionStorage.setItem(this.#place, JSON.stringify(all));
    }
}
