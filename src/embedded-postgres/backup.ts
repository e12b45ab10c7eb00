import { appendFileSync } from 'node:fs';

import { Client } from 'pg';
import type { Connection } from 'pg';

/** The first byte of those messages that hold a part of the archive. */
const PART = 'd'.charCodeAt(0);

/**
 * Has the embedded server write its whole cluster, as it is at the end of this, into an open file, while others go on
 * writing: what `pg_basebackup` asks of a server, by the same command, for npm's package does not hold that program.
 * It comes as a tar archive, compressed, which a server of the same major version starts from.
 * @throws Error where the file cannot be written, or of the server's
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
        // Keeps what is written meanwhile, which the archive has to end with; it goes with the connection.
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
