import type { Request } from '@hapi/hapi';

declare module '@hapi/hapi' {
    interface RequestApplicationState {
        /** trace id of the distributed trace that the request is a part of */
        traceId?: string;
    }
}

/** W3C Trace Context, section 3.2.2: version, trace id, parent id, flags, and what a later version may add. */
const shape = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a `traceparent` header; undefined where there is none, or an invalid one, which counts as none. */
function traceIdOf(header: unknown): string | undefined {
    const [, version, traceId, more] = typeof header === 'string' ? shape.exec(header) ?? [] : [];
    return version === '00' && more !== undefined ? undefined : traceId;
}

/** Stage: takes over the trace that the request is a part of. */
export function readTrace({ app, headers }: Request): void {
    app.traceId = traceIdOf(headers.traceparent);
}
