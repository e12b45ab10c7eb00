export {};

/** A service worker's globals besides a page's. The types of both cannot be used together. */
declare global {
    interface ExtendableEvent extends Event {
        waitUntil(work: Promise<unknown>): void;
    }

    interface FetchEvent extends ExtendableEvent {
        readonly request: Request;
        respondWith(response: Promise<Response>): void;
    }

    interface WindowEventMap {
        install: ExtendableEvent;
        activate: ExtendableEvent;
        fetch: FetchEvent;
    }

    function skipWaiting(): Promise<void>;

    const clients: { claim(): Promise<void> };

    /** Written by the service before the script: another release has other bytes, so browsers see that there is one. */
    const builtSite: {
        readonly release: string;
        /** paths of all scripts, styles and texts */
        readonly files: readonly string[];
        readonly languages: readonly string[];
    };
}
