import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { errorMessage } from '../../database/statements/error-message';
import { StorageUnreachable } from '../../api/errors/storage';
import { fieldOf } from '../../api/json/is-object';
import { makeFolder, tidyFolder } from './folder-storage';
import { NoSuchBytes, OWNER, isName } from './storage';
import type { AssetStorage } from './storage';

/** Milliseconds for a connection, and for an answer to begin. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 20_000, throwOnRequestTimeout: true };

/** The status of the response that an error of the SDK is about; undefined if there was none. */
const statusOf = (error: unknown): unknown => fieldOf(fieldOf(error, '$metadata'), 'httpStatusCode');

/** The result, or undefined if there is no such object. */
async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
    try {
        return await work;
    }
    catch (error) {
        if (statusOf(error) === 404) {
            return undefined;
        }

        throw error;
    }
}

/**
 * Bytes in a bucket of S3, or of storage that is like it.
 * @param url `s3://bucket/prefix?endpoint=…&region=…`; the secrets are where the SDK looks for them, as in AWS_ACCESS_KEY_ID
 * @param incoming a folder of this machine for files on their way in
 */
export async function bucketStorage(url: string, incoming: string, timeouts = TIMEOUTS): Promise<AssetStorage> {
    // Loading the SDK takes a tenth of a second and 30 MB, so it is loaded only if there is a bucket.
    const { DeleteObjectCommand, GetObjectCommand, HeadBucketCommand, HeadObjectCommand, PutObjectCommand, S3Client, paginateListObjectsV2 } = await import('@aws-sdk/client-s3');
    const { host: Bucket, pathname, searchParams } = new URL(url);
    const endpoint = searchParams.get('endpoint') ?? undefined;
    const prefix = pathname.split('/').filter((part) => part !== '').map((part) => `${part}/`).join('');
    const client = new S3Client({
        region: searchParams.get('region') ?? 'us-east-1', requestHandler: timeouts, maxAttempts: 3,
        // Other storage than Amazon's may not have a host name for each bucket, or the newer checksums.
        ...endpoint !== undefined && {
            endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED'
        }
    });
    client.middlewareStack.add((next) => {
        return async (request) => {
            try {
                return await next(request);
            }
            catch (error) {
                // If the bucket refuses something, the operator finds the reason in the log.
                throw Number(statusOf(error)) < 500 ? error : new StorageUnreachable(errorMessage(error), { cause: error });
            }
        };
    }, { step: 'initialize' });
    const object = (name: string): { Bucket: string; Key: string } => ({ Bucket, Key: `${prefix}${name}` });

    return {
        incoming,
        put: async (name, file, type) => {
            const { size } = await stat(file);
            await client.send(new PutObjectCommand({
                ...object(name), Body: createReadStream(file), ContentLength: size, ContentType: type
            }));
        },
        open: async (name, range) => {
            const found = await ifThere(client.send(new GetObjectCommand({
                ...object(name), Range: range && `bytes=${range.start}-${range.end}`
            })));
            if (!(found?.Body instanceof Readable)) {
                throw new NoSuchBytes(name);
            }

            return found.Body;
        },
        size: async (name) => (await ifThere(client.send(new HeadObjectCommand(object(name)))))?.ContentLength,
        remove: async (name) => void await client.send(new DeleteObjectCommand(object(name))),
        async* list(olderThan) {
            for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
                yield Contents.filter(({ LastModified }) => Number(LastModified) < Date.now() - olderThan).map(({ Key }) => String(Key).slice(prefix.length)).filter(isName);
            }
        },
        owner: async () => await (await ifThere(client.send(new GetObjectCommand(object(OWNER)))))?.Body?.transformToString(),
        setOwner: async (database) => void await client.send(new PutObjectCommand({ ...object(OWNER), Body: database })),
        tidy: (olderThan) => tidyFolder(incoming, olderThan),
        prepare: async () => {
            await makeFolder(incoming);
            await client.send(new HeadBucketCommand({ Bucket }));
        },
        close: () => client.destroy()
    };
}
