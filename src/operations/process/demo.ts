import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { seed } from '../../../seeds';
import type { SeedReport, Send } from '../../../seeds';
import type { FilePool } from '../../files/assets/file-work';
import { openStorage } from '../../files/assets/open-storage';
import type { Config } from '../../config';
import { createServer } from '../server';
import { setPermission } from '../../accounts/users/permissions';
import { operatorWrite } from '../../rules/write';

/** The services that create the demo community. */
export interface DemoServices {
    config: Config;
    db: Knex;
    logger: Logger;
    files: FilePool;
}

/**
 * Creates the demo community of `seeds/` through the API, with a server that does not listen and runs all statements in one
 * transaction. If the process is killed meanwhile, nothing is left, and the next start begins again.
 * @throws RefusedCall if one of its usernames is taken
 */
export function seedDemo({ config, db, logger, files }: DemoServices): Promise<SeedReport> {
    return operatorWrite(db, async (trx) => {
        const assets = await openStorage(config);
        const server = await createServer({
            // The people of the demo community have passwords, also if accounts come from an identity provider.
            config: { ...config, signUp: 'open', rateLimit: false, auth: { provider: 'local' } },
            db: trx,
            assets,
            files,
            now: Date.now,
            // Hundreds of lines about these requests would hide the lines that matter.
            logger: logger.child({}, { level: logger.isLevelEnabled('error') ? 'error' : logger.level })
        });
        await server.initialize();
        const send: Send = async (method, url, body, token, file) => {
            const headers = { 'content-type': file?.type ?? 'application/json', ...token !== undefined && { authorization: `token ${token}` } };
            const { statusCode, payload } = await server.inject({ method, url, headers, payload: file?.bytes ?? JSON.stringify(body) });
            const answer: unknown = JSON.parse(payload);
            return { status: statusCode, body: answer };
        };

        try {
            return await seed(send, {
                grant: async (username, _account, permission) => {
                    await setPermission(trx, username, permission, true);
                }
            });
        }
        finally {
            await server.stop();
            assets.close();
        }
    });
}
