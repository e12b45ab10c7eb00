import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { seed } from '../../seeds';
import type { SeedReport, Send } from '../../seeds';
import { openStorage } from '../assets/open-storage';
import type { Config } from '../config';
import { createServer } from '../server';
import { setPermission } from '../users/permissions';

/**
 * Makes the demo community of `seeds/` through the API, by a server that listens to nothing and whose every statement
 * is part of one transaction: a process killed in the middle leaves nothing behind, and the next one starts over.
 * @throws RefusedCall where one of its usernames is taken
 */
export function seedDemo({ config, db, logger }: { config: Config; db: Knex; logger: Logger }): Promise<SeedReport> {
    return db.transaction(async (trx) => {
        const assets = await openStorage(config);
        const server = await createServer({
            // Its people have passwords, wherever those come from that sign in later.
            config: { ...config, signUp: 'open', rateLimit: false, auth: { provider: 'local' } },
            db: trx,
            assets,
            now: Date.now,
            // A hundred lines of requests that nobody sent would bury what matters.
            logger: logger.child({}, { level: logger.isLevelEnabled('error') ? 'error' : logger.level })
        });
        await server.initialize();
        const send: Send = async (method, url, body, token) => {
            const headers = { 'content-type': 'application/json', ...token !== undefined && { authorization: `token ${token}` } };
            const { statusCode, payload } = await server.inject({ method, url, headers, payload: JSON.stringify(body) });
            const answer: unknown = JSON.parse(payload);
            return { status: statusCode, body: answer };
        };

        try {
            return await seed(send, {
                grant: async (username) => {
                    await setPermission(trx, username, 'moderator', true);
                }
            });
        }
        finally {
            await server.stop();
            assets.close();
        }
    });
}
