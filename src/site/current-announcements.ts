import type { ShownAnnouncement } from './shown';

/** The announcements of the place. */
export interface CurrentAnnouncements {
    /** what was read last */
    readonly last: readonly ShownAnnouncement[];
    /** Reads them, if that was not done a moment ago. If it fails, those of before are shown: a page does not fail for it. */
    refresh(): Promise<void>;
}

/** @param read reads them from the database @param maxAge milliseconds for which they are kept */
export function currentAnnouncements(read: () => Promise<readonly ShownAnnouncement[]>, maxAge: number, now: () => number): CurrentAnnouncements {
    let last: readonly ShownAnnouncement[] = [];
    let readAt = -Infinity;
    let reading: Promise<void> | undefined;
    return {
        get last() {
            return last.filter(({ until }) => Date.parse(until) > now());
        },
        refresh: () => {
            // The clock may be set back.
            const age = now() - readAt;
            if (age >= 0 && age < maxAge) {
                return Promise.resolve();
            }

            reading ??= read().then((found) => {
                last = found;
                readAt = now();
            }, () => undefined).finally(() => {
                reading = undefined;
            });
            return reading;
        }
    };
}
