/** Asks the database again and again while somebody watches. */
export interface Poller {
    /** Begins to, if it has not yet, and looks soon. */
    begin(): void;
    /** Stops. */
    end(): void;
    /** Looks soon, if somebody watches. */
    soon(): void;
}

export interface LooksOptions {
    /** milliseconds between two looks */
    every: number;
    /** Looks once. @returns whether it has to look again at once, because one look could not tell everything */
    look(): Promise<boolean>;
    /** Called with the error when looking begins to fail, and with undefined when it works again. */
    failing(error: unknown): void;
}

/** Milliseconds to pause after a look, so that the next one serves everybody who asked for it in between. */
const LEAST_REST = 20;
/** After a slow look, the pause before one that was asked for is this many times as long as the look, up to the usual time between two. */
const REST = 3;

export function startPolling({ every, look, failing }: LooksOptions): Poller {
    let ticks: NodeJS.Timeout | undefined;
    let next: NodeJS.Timeout | undefined;
    let looking = false;
    /** whether another look was requested during this one */
    let again = false;
    let restsUntil = 0;
    let failed = false;

    const once = async (): Promise<void> => {
        again = looking;
        if (looking || ticks === undefined) {
            return;
        }

        looking = true;
        const began = performance.now();
        try {
            const more = await look();
            again ||= more;
            if (failed) {
                failed = false;
                failing(undefined);
            }
        }
        catch (error) {
            if (!failed) {
                failed = true;
                failing(error);
            }
        }

        const now = performance.now();
        restsUntil = now + Math.min(every, Math.max(LEAST_REST, REST * (now - began)));
        looking = false;
        if (again) {
            soon();
        }
    };

    const soon = (): void => {
        next ??= setTimeout(() => {
            next = undefined;
            void once();
        }, Math.max(0, restsUntil - performance.now()));
    };

    return {
        begin: () => {
            ticks ??= setInterval(() => void once(), every).unref();
            soon();
        },
        end: () => {
            ticks = void clearInterval(ticks);
        },
        soon
    };
}
