import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Knex } from 'knex';

/** The folders whose `schema.sql` make a new database, in order: what others refer to comes first. */
const subjects = [
    'rules', 'classes', 'accounts/users', 'accounts/apps', 'accounts/authorization', 'accounts/passkeys', 'accounts/identities', 'accounts/tokens', 'accounts/mail',
    'api/auth', 'api/protection', 'api/request', 'projects', 'projects/pages', 'projects/elements', 'projects/history', 'projects/members', 'projects/trash', 'projects/live',
    'community/discovery', 'community/search', 'community/collections', 'community/moderation', 'community/administration', 'community/blocks', 'community/follows', 'community/likes', 'community/comments', 'community/statements', 'community/filters', 'community/reports', 'files/assets', 'files/thumbnails',
    'classes/people', 'classes/pictures', 'classes/projects', 'classes/assignments', 'classes/works', 'community/notices', 'accounts/webhooks', 'operations/maintenance'
] as const;

const source = join(__dirname, '..');

const textOf = (subject: string): string => readFileSync(join(source, subject, 'schema.sql'), 'utf8');

/** The SQL of all of them. */
export const schemaText = (): string => subjects.map(textOf).join('\n');

/** Makes the tables of this release in a database that has none. */
export async function createSchema(trx: Knex.Transaction): Promise<void> {
    for (const subject of subjects) {
        await trx.raw(textOf(subject).replaceAll('?', '\\?'));
    }
}
