import type { Database } from '../../database/statements/connection';
import { run, statement } from '../../database/statements/statement';

const mostUsed = statement({ row: { tag: 'text' } }, `
    select tag from featured_tags order by projects desc, left(tag, 100), tag limit 10`);

/** The ten most used tags of featured projects. */
export async function mostUsedTags(db: Database): Promise<string[]> {
    const rows = await run(db, mostUsed, []);
    return rows.map(({ tag }) => tag);
}
