import { fromShownAssets } from '../assets/fragments';
import { fromPages } from '../../projects/pages/fragments';
import { fromProject, fromProjectsWithAuthor } from '../../projects/fragments';
import { inProject, known } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import type { AssetType } from '../assets/types';
import { allowed, rolesOf } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import { forReaders, isOpen, readerParameters, readerTypes, readerValues } from '../../rules/visibility';
import type { Reader, ReaderExpressions } from '../../rules/visibility';
import { gone } from '../../database/statements/deletion';
import { quoted } from '../../database/statements/json-sql';
import type { Read } from '../../database/statements/snapshot';
import { statement } from '../../database/statements/statement';
import { pageSizes } from '../../projects/pages/queries';
import type { PageSize } from '../../projects/pages/queries';
import { projectInFile } from './file-json';

/** A project to export. */
const exportedColumns = {
    open: 'boolean',
    id: 'text',
    /** whether the reader may see its history */
    history: 'boolean',
    revision: 'integer',
    /** JSON text of its author's name */
    author: 'text',
    /** JSON text of its own fields */
    project: 'text',
    pages: known<PageSize[]>('json', [{ id: '1', revision: '1', weight: 1 }])
} as const;
export type Exported = RowOf<typeof exportedColumns>;

const find = (from: string, by: ReaderExpressions): string => `
    select ${isOpen('p')} as open, p.id::text as id, coalesce(${allowed('p', { ...by, roles: rolesOf('history') })}, false) as history, p.revision, ${quoted('u.username')} as author, ${projectInFile} as project, coalesce((
        select ${pageSizes} ${fromPages}
    ), '[]') as pages ${from}`;

const findLive = forReaders({ parameters: ['bigint', 'bigint'], row: exportedColumns, place: inProject(2) }, (by) => find(projectChain(by), by));

/** A project with its pages and their sizes; undefined if there is none that the reader may see. */
export async function findExported(read: Read, userId: string, id: string, reader: Reader): Promise<Exported | undefined> {
    const [found] = await read(...findLive(reader, [userId, id]));
    return found;
}

// Only used for the owner.
const findDeleted = statement({ parameters: ['bigint', 'bigint', ...readerTypes], row: exportedColumns, place: inProject(2) }, find(`${fromProjectsWithAuthor} where p.user_id = $1 and p.id = $2 and ${gone('p')} and $3::bigint = p.user_id and $4::boolean is not null and $5::boolean is not null and $6::bytea is null`, readerParameters(2)));

/** A project in its owner's trash. */
export async function findDeletedProject(read: Read, userId: string, id: string): Promise<Exported | undefined> {
    const [found] = await read(findDeleted, [userId, id, ...readerValues({ id: userId, moderator: false })]);
    return found;
}

const present = statement({ parameters: ['bigint', 'integer'], place: inProject(1) }, `select ${fromProject('$1')} and p.revision = $2`);

/** Whether a project still has this revision. */
export const isAt = async (read: Read, { id, revision }: Pick<Exported, 'id' | 'revision'>): Promise<boolean> =>
    (await read(present, [id, revision])).length > 0;

/** The facts about an asset that is exported. */
const exportedAssetColumns = {
    hash: 'text',
    type: known<AssetType>('text')
} as const;
export type ExportedAsset = RowOf<typeof exportedAssetColumns>;

const facts = statement({
    parameters: ['text[]'], row: exportedAssetColumns
}, `select a.hash, a.type ${fromShownAssets('$1::text[]')} order by a.hash`);

/** Those of the assets that exist. */
export const findAssets = (read: Read, hashes: readonly string[]): Promise<ExportedAsset[]> => read(facts, [hashes]);
