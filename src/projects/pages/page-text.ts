import { inProject } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { pageChain } from '../../rules/chain';
import { taggedColumns } from '../../rules/read';
import type { Tagged } from '../../rules/read';
import { pageWeight } from '../../rules/sizes';
import { forReaders, isOpen } from '../../rules/visibility';
import type { Reader, ReaderExpressions } from '../../rules/visibility';
import { lookup, runOne } from '../../database/statements/statement';
import { LARGE } from '../../limits';

/** Most bytes of a page that is read together with others. They wait for one another, so a larger one is read by itself. */
const SMALL = 32 * 1024;
/** Most pages that are read together. */
const FEW = 10;

/**
 * Makes a function that reads a page, given the ids of its chain, as a JSON text of at most `LARGE` bytes.
 * @param json SQL for the text, of the page in the row `g` that also has its project's `user_id`
 * @returns undefined if there is nothing that the reader may see
 */
export function textOfPage(json: string): (db: Database, chain: readonly string[], reader: Reader) => Promise<Tagged | undefined> {
    const ofAtMost = (reader: ReaderExpressions, most: number): string => `
        select g.open, g.revision::text as tag, g.weight, case when g.weight <= ${most} then ${json} end as json
        from (select g.*, p.user_id, ${isOpen('p')} as open, ${pageWeight} as weight ${pageChain(reader)} offset 0) g`;
    const declaration = { parameters: ['bigint', 'bigint', 'bigint'], row: taggedColumns, place: inProject(2) } as const;
    const small = forReaders(declaration, (reader) => ofAtMost(reader, SMALL), (own, text) => lookup({ ...own, together: FEW }, text));
    const alone = forReaders(declaration, (reader) => ofAtMost(reader, LARGE));

    return async (db, chain, reader) => {
        const found = await runOne(db, ...small(reader, chain));
        const isForAlone = found !== undefined && found.weight > SMALL && found.weight <= LARGE;
        return isForAlone ? await runOne(db, ...alone(reader, chain)) : found;
    };
}
