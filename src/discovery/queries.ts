import type { Database } from '../db/connection';
import { run, statement } from '../db/statement';

const mostUsed = statement<{ tag: string }>(`
    select tag from featured_tags order by projects desc, left(tag, 100), tag limit 10`);

/** The ten most used tags of featured projects. */
export async function mostUsedTags(db: Database): Promise<string[]> {
    const rows = await run(db, mostUsed, []);
    return rows.map(({ tag }) => tag);
}
