const MIB = 1024 * 1024;

/** Limits for all clients of one process together. Times are in milliseconds. */
export interface ClientLimits {
    /** for the headers of a request to arrive, counted from its first byte or from the start of the connection */
    headers: number;
    /** for the first byte of a body to arrive, counted from when the service begins to read it */
    bodyBegins: number;
    /** for all of a body to arrive */
    body: number;
    /** for all of a request to arrive, whether its body is read or thrown away */
    request: number;
    /** for the rest of a body to be thrown away after a response that did not wait for it, before the connection is cut */
    linger: number;
    /** without a byte in either direction during a request; Node can take twice as long to notice */
    stalled: number;
    /** between two requests of a connection; longer than proxies keep theirs, or they would use one that is being closed */
    idle: number;
    /** between two checks of `headers` and `request` */
    checkEvery: number;
    /** connections at a time; further ones are closed at once */
    connections: number;
    /** bytes of request bodies that are in memory at a time, after decompression */
    bodyBytes: number;
    /** bytes of a body that are thrown away in the time of `linger` */
    lingerBytes: number;
    /** bytes of responses that clients have not read yet */
    responseBytes: number;
    /** between two comments of an event stream; shorter than proxies wait */
    streamComment: number;
    /** shortest life of an event stream; the longest is half as much again */
    streamLife: number;
    /** bytes that wait for the client of an event stream before it is cut off */
    streamBytes: number;
}

export const clientLimits: ClientLimits = {
    headers: 20_000,
    bodyBegins: 10_000,
    // 10 MiB over a slow mobile line. hapi's own ten seconds cut such an editor off.
    body: 120_000,
    request: 150_000,
    linger: 30_000,
    stalled: 60_000,
    idle: 75_000,
    checkEvery: 5000,
    connections: 10_000,
    bodyBytes: 128 * MIB,
    lingerBytes: 64 * MIB,
    responseBytes: 256 * MIB,
    streamComment: 15_000,
    streamLife: 300_000,
    streamBytes: MIB / 16
};
