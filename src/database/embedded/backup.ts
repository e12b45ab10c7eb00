import { appendFileSync } from 'node:fs';

import { Client } from 'pg';
import type { Connection } from 'pg';

/** The first byte of each message that holds a part of the archive. */
const PART = 'd'.charCodeAt(0);

/**
 * Writes a base backup of the whole cluster, as it is at the end of the backup, to an open file. Clients can go on writing
 * meanwhile. It sends the same replication command as `pg_basebackup`, which npm's package does not contain. The backup is a
 * compressed tar archive, and a server of the same major version can start from it.
 * @throws Error if the file cannot be written, or the server reports an error
 */
export const writeBaseBackup = async (url: string, file: number): Promise<void> => {
    const address = new URL(url);
    address.searchParams.set('replication', 'database');
    const client: Client & { connection?: Connection } = new Client(address.href);
    let failure: unknown;
    client.on('error', Boolean);
    client.connection?.on('copyData', ({ chunk }: { chunk: Buffer }) => {
        try {
            if (chunk[0] === PART) {
                appendFileSync(file, chunk.subarray(1));
            }
        }
        catch (error) {
            failure ??= error;
            client.connection?.stream.destroy();
        }
    });
    try {
        await client.connect();
        // Keeps the write-ahead log of the meantime, which has to be at the end of the archive. The slot ends with the connection.
        await client.query(`CREATE_REPLICATION_SLOT backup_${process.pid} TEMPORARY PHYSICAL (RESERVE_WAL)`);
        await client.query('BASE_BACKUP (CHECKPOINT \'fast\', WAL, MANIFEST \'no\', COMPRESSION \'gzip\')');
    }
    catch (error) {
        throw failure ?? error;
    }
    finally {
        await client.end();
    }
};
