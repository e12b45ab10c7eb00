import { inProject, known } from '../../database/declaration';
import type { ProjectChain } from '../../rules/chain';
import type { Writer } from '../../rules/access';
import { projectThen } from '../../rules/point';
import { NothingToChange } from '../../rules/change-set';
import { lockProject } from '../../rules/lock-project';
import { mergeFields } from '../../rules/merge';
import type { Database } from '../../database/statements/connection';
import { runAlways, statement } from '../../database/statements/statement';
import { faultWith } from '../../api/errors/errors';
import { writeAndShow } from '../history/restore';
import type { Restored } from '../history/restore';
import { MAX_CONFLICTS } from '../../limits';
import { pulled, pulledBy } from './apply';
import { drawPages } from './changed';
import type { Take } from './merge-thing';
import { PullPlan } from './plan';
import { findSourceFor, spanOf } from './source';
import type { SourceChange, Span } from './targets';

/** The fields that a remix copies from its source. */
interface Fields {
    title: string;
    thumbnail: Record<string, string>;
}

const fields = (row: string): string => `json_build_object('title', ${row}.title, 'thumbnail', ${row}.thumbnail)`;

const fieldsSample = { title: '', thumbnail: {} };

const projectFields = statement({ parameters: ['bigint', 'bigint', 'integer', 'integer'], row: { base: known<Fields>('json', fieldsSample), theirs: known<Fields>('json', fieldsSample), ours: known<Fields>('json', fieldsSample) }, place: inProject(2) }, `
    with p as materialized (select * from projects where id = $2)
    select ${fields('b')} as base, ${fields('t')} as theirs, ${fields('o')} as ours
    from (${projectThen('$3::int', 'p.updated_at')}) b, (${projectThen('$4::int', 'p.updated_at')}) t, projects o where o.id = $1`);

/** The fields of the project that the source changed, of those that a remix copies, and their new values in the remix. */
async function mergeProject(db: Database, { remix, source, since, revision }: Span, take: Take | null): Promise<{ change: SourceChange | undefined; columns: Partial<Fields> }> {
    const { base, theirs, ours } = await runAlways(db, projectFields, [remix, source, since, revision]);
    const { conflicts: changed } = await mergeFields(null, theirs, base);
    const [mine, current] = take === 'ours' ? [ours, theirs] : [theirs, ours];
    const { fields: merged, conflicts } = await mergeFields(base, mine, current);
    const { conflicts: different } = await mergeFields(null, merged, ours);
    const columns = Object.fromEntries(Object.entries(merged).filter(([name]) => different.includes(`/${name}`)));
    const change: SourceChange = { type: 'project', id: remix, source_id: source, method: 'update', fields: changed, conflicts: conflicts.length === 0 ? null : conflicts };
    return { change: changed.length === 0 ? undefined : change, columns };
}

/**
 * The changes of the source.
 * @throws 409 if it is more than can be compared
 */
export async function sourceChanges(db: Database, span: Span): Promise<SourceChange[]> {
    if (span.since === span.revision) {
        return [];
    }

    // The new pages have no ids yet, but links to them must differ from other links.
    const plan = new PullPlan(span, { take: null, moderator: false, all: true, draw: (_db, count) => Promise.resolve(Array.from({ length: count }, (_, index) => `new ${index}`)) });
    const { change } = await mergeProject(db, span, null);
    await plan.make(db);
    return [...change === undefined ? [] : [change], ...plan.changes];
}

/**
 * Brings what the source changed into a remix, as one change.
 * @param take which side stays if both changed the same field; null for neither
 * @throws 404 if the remix does not exist or the caller may not read its source, 403 if they may not write to the remix, 409 if there are conflicts
 * or the result is too large, 410 if the earlier state of the source is no longer known; NothingToChange
 */
export async function pull(trx: Database, chain: ProjectChain, writer: Writer, take: Take | null): Promise<Restored> {
    const { moderator } = writer;
    await findSourceFor(trx, chain, writer);
    await lockProject(trx, chain[1], writer);
    const span = spanOf(await findSourceFor(trx, chain, writer));
    if (span.since === span.revision) {
        throw new NothingToChange();
    }

    const plan = new PullPlan(span, { take, moderator, all: false, draw: async (db, count) => (await runAlways(db, drawPages, [count])).ids });
    const { change, columns } = await mergeProject(trx, span, take);
    await plan.make(trx);
    const changes = [...change === undefined ? [] : [change], ...plan.changes];
    const conflicts = changes.filter((one) => one.conflicts !== null);
    if (take === null && conflicts.length > 0) {
        const shown = conflicts.slice(0, MAX_CONFLICTS).map(({ type, id, source_id: of, conflicts: pointers }) => ({ type, id, source_id: of, fields: pointers }));
        throw faultWith('merge_conflict', [], { conflict: JSON.stringify({ conflicts: shown }) });
    }

    if (changes.length === 0) {
        throw Object.assign(new NothingToChange(), { skipped: plan.skipped });
    }

    return writeAndShow(trx, pulled, span.remix, writer, pulledBy(span, plan, columns, moderator), plan.skipped);
}
