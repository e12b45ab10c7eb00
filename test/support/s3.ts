import type S3rver from '@20minutes/s3rver';

import { loadProgram } from './programs';

/** The bucket that there is. */
export const BUCKET = 'pictures';

/** What the AWS SDK has to find in the environment: the one account of that server. */
export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/**
 * A server that is like S3, and refuses requests for objects that are not signed with its keys. Those for the bucket itself it cannot check: it leaves
 * out the slash at the end of their path, which is signed too.
 * @param port 0 for any
 * @returns the port, and what ends it
 */
export async function startS3(directory: string, port = 0): Promise<{ port: number; close(): Promise<void> }> {
    const Server = loadProgram<typeof S3rver>('@20minutes/s3rver');
    const s3 = new Server({ address: '127.0.0.1', port, silent: true, directory, configureBuckets: [{ name: BUCKET }] });
    s3.middleware.unshift((context, next) => {
        context.app = Object.create(context.app, { allowMismatchedSignatures: { value: context.path === `/${BUCKET}/` } });
        return next();
    });
    const { port: taken } = await s3.run();
    return { port: taken, close: () => s3.close() };
}
