/** What the tests use of the package, which has no types of its own. */
declare module '@20minutes/s3rver' {
    interface S3Context {
        app: object;
        path: string;
    }

    export default class S3rver {
        /** those of Koa, in their order */
        readonly middleware: ((context: S3Context, next: () => Promise<void>) => Promise<void>)[];
        constructor(options: { address: string; port: number; silent: boolean; directory: string; configureBuckets: { name: string }[] });
        run(): Promise<{ port: number }>;
        close(): Promise<void>;
    }
}
