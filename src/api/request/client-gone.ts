import type { Request } from '@hapi/hapi';

/** The reason why work was ended: nobody waits for its result. */
export class ClientGone extends Error {
    constructor() {
        super('The client has left before it was answered');
        this.name = 'ClientGone';
    }
}

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** as `signalOf` returns it */
        clientGone?: AbortSignal;
    }
}

/** A signal for the work of a request, which is aborted when its connection is closed, and when its response has ended. */
export function signalOf(request: Pick<Request, 'active' | 'app' | 'raw'>): AbortSignal {
    const { app, raw: { req, res } } = request;
    if (app.clientGone === undefined) {
        const controller = new AbortController();
        app.clientGone = controller.signal;
        const abort = (): void => controller.abort(new ClientGone());
        res.once('close', abort);
        // If the response waits for an earlier one on the same connection, only the request emits an event.
        req.once('aborted', abort);
        if (!request.active()) {
            abort();
        }
    }

    return app.clientGone;
}
