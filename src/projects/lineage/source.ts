import { inProject } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { allowed, rightParameters, rightTypes, rightValues, someoneElses } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';
import { forReaders, isOpen, mayRead } from '../../rules/visibility';
import type { Reader, ReaderExpressions } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { runOne, statement } from '../../database/statements/statement';
import { faultWith, notFound } from '../../api/errors/errors';
import type { Span } from './targets';

/** A remix and its source, if the caller may read both. */
const foundColumns = {
    open: 'boolean',
    others: 'text[]?',
    remix: 'text',
    /** null if the caller may not read it */
    source: 'text?',
    revision: 'integer?',
    /** null for a remix of an older release */
    since: 'integer?',
    /** whether the state of the source at that time can still be read */
    kept: 'boolean'
} as const;
export type Found = RowOf<typeof foundColumns>;

const found = `
    ${isOpen('p')} and coalesce(${isOpen('s')}, true) as open, case when s.id is not null then array[s.id::text] end as others, p.id::text as remix, s.id::text as source, s.revision, p.remixed_revision as since,
    coalesce(s.revision = p.remixed_revision or exists (select from project_changes c where c.project_id = s.id and c.revision = p.remixed_revision), false) as kept`;
const withSource = (reader: ReaderExpressions, of = reader): string =>
    projectChain(reader, `left join projects s on s.id = p.remixed_from and ${live('s')} and ${mayRead('s', of)}`);
const writing = rightParameters(2);

const readable = forReaders({ parameters: ['bigint', 'bigint'], row: foundColumns, place: inProject(2) }, (reader) => `select ${found} ${withSource(reader)}`);
// A moderator reads what is private, and copies none of it into a project of their own.
const writable = statement({ parameters: ['bigint', 'bigint', ...rightTypes, 'bigint[]'], row: { ...foundColumns, allowed: 'boolean' }, place: inProject(2) }, `select ${found}, ${allowed('p', writing)} as allowed ${withSource(writing, { ...writing, moderator: 'false', projects: '$6::bigint[]' })}`);

export const findSource = (db: Database, chain: ProjectChain, by: Reader): Promise<Found | undefined> => runOne(db, ...readable(by, chain));

/** @throws 404 if the remix does not exist, 403 if the caller may not write to it */
export async function findSourceFor(trx: Database, chain: ProjectChain, writer: Writer): Promise<Found> {
    const row = await runOne(trx, writable, [...chain, ...rightValues(writer), writer.projects]);
    if (row === undefined) {
        throw notFound('project');
    }

    if (!row.allowed) {
        throw someoneElses('project');
    }

    return row;
}

/** The revisions between which the source is compared. @throws 404 if the caller may not read it, 410 if its earlier state is no longer known */
export function spanOf({ remix, source, revision, since, kept }: Found): Span {
    if (source === null || revision === null) {
        throw faultWith('source_unavailable', [], {});
    }

    if (since === null || !kept) {
        throw faultWith('history_gone', ['What the source was when this remix was made is not kept any more, so its changes cannot be told. Remix it again.'], { nearest: null });
    }

    return { remix, source, since, revision };
}
