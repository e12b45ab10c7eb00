import type { Writer } from '../authoring/access';
import { changeableOf, definitions, elementColumns, pageColumns, projectColumns, recordedOf } from '../authoring/columns';
import { mergeFields } from '../authoring/merge';
import { tagsOf } from '../authoring/tags';
import type { Database } from '../db/connection';
import { gone } from '../db/deletion';
import { run, runAlways, runOne, statement } from '../db/statement';
import { fault, faultWith } from '../errors/errors';
import { JsonText, freeKeys, jsonOf } from '../json/json-text';
import { begins, finish } from './restore';
import type { Begun, Restored, Skipped } from './restore';
import { rewrite, rewriteElements, rewritePages } from './rewrite';

/** Maximum bytes that a change may have replaced to be undone: they are merged in memory. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Most conflicts that a response lists. */
const MOST_TOLD = 1000;

/** Kinds of changes that nothing comes before, or that are no authoring. */
const notUndoable: ReadonlySet<string> = new Set(['create', 'remix', 'import', 'feature']);

type Type = 'project' | 'page' | 'element';

/** A column that the change set, or `self`. All values are JSON texts. */
interface Replaced {
    id: string;
    field: string;
    before: string | null;
    /** whether a later change set the column too; then, what the change made of it and what it is now */
    later: boolean;
    after: string | null;
    current: string | null;
    /** whether the thing was deleted before the change, after it, and is now */
    was_gone: boolean;
    gone_after: boolean;
    gone_now: boolean;
    /** whether a later change touched the thing */
    touched: boolean;
    /** the page of an element */
    page_id: string | null;
    page_gone: boolean;
    /** deleted by a moderator */
    moderated: boolean;
}

const size = statement<{ kind: string; bytes: number }>(`
    select kind, (select coalesce(sum(octet_length(value::text)), 0) from versions where project_id = $1 and to_revision = $2)::float8 as bytes
    from project_changes where project_id = $1 and revision = $2`);

const firstLater = (columns: string, where: string): string => `(
    select ${columns} from versions l where l.project_id = $1 and l.type = v.type and l.id = v.id ${where} and l.to_revision > $2 order by l.to_revision limit 1)`;

/** SQL for what the change $2 of the project $1 replaced in a kind of thing. */
const replaced = (type: Type, row: string, names: readonly string[], from: string, page: { id: string; gone: string }): string => `
    select v.id::text as id, v.field, v.value::text as before, v.deleted as was_gone, l.to_revision is not null as later, l.value::text as after,
        case when l.to_revision is not null then case v.field ${names.map((name) => `when '${name}' then to_json(${row}.${name})::text`).join(' ')} end end as current,
        coalesce(${firstLater('l.deleted', '')}, ${gone(row)}) as gone_after, ${gone(row)} as gone_now, ${type === 'project' ? 'false' : `${row}.project_revision > $2`} as touched,
        ${page.id}::text as page_id, ${page.gone} as page_gone, exists (select from trash t where t.type = v.type and t.thing_id = v.id and t.moderated) as moderated
    from versions v ${from} left join lateral ${firstLater('l.to_revision, l.value', 'and l.field = v.field')} l on true
    where v.project_id = $1 and v.type = '${type}' and v.to_revision = $2
    order by v.id`;

const nowhere = { id: 'null', gone: 'false' };
const replacements = {
    project: statement<Replaced>(replaced('project', 'p', recordedOf(projectColumns), 'join projects p on p.id = v.id', nowhere)),
    page: statement<Replaced>(replaced('page', 'g', changeableOf(pageColumns), 'join pages g on g.id = v.id', nowhere)),
    element: statement<Replaced>(replaced('element', 'e', changeableOf(elementColumns), 'join elements e on e.id = v.id join pages g on g.id = e.page_id', { id: 'e.page_id', gone: gone('g') }))
};

interface Made {
    type: 'page' | 'element';
    id: string;
    touched: boolean;
}

/** What the change created and is still there, without what is on a page that it created too. */
const made = statement<Made>(`
    select 'page' as type, g.id::text as id, g.project_revision > $2 as touched from pages g where g.project_id = $1 and g.created_revision = $2 and g.deleted_at is null
    union all
    select 'element', e.id::text, e.project_revision > $2 from pages g join elements e on e.page_id = g.id
        where g.project_id = $1 and g.created_revision is distinct from $2 and g.deleted_at is null and e.created_revision = $2 and e.deleted_at is null`);

/** The new state of a thing: its columns that change, and whether it exists. */
interface Target {
    id: string;
    shown: boolean;
    touched?: boolean;
    [column: string]: unknown;
}

const recordset = (columns: string): string => `select * from json_to_recordset($3::json) as r (id bigint, shown boolean, touched boolean, ${columns})`;
const elementsBack = rewriteElements(`
    ${recordset(definitions(elementColumns))}
    union all select e.id, true, true, null, null, null from elements e where e.page_id = any($4::bigint[]) and e.deleted_at is null and e.id not in (select id from (${recordset(definitions(elementColumns))}) r)`);
const pagesBack = rewritePages(recordset(definitions(pageColumns)).replace('$3', '$4'));
const undoBegins = statement<Begun>(begins('undo', `select ${recordedOf(projectColumns).join(', ')} from json_to_record($3::json) as r (${definitions(projectColumns)})`));

/** A thing that cannot be taken back, with what of it has changed since. */
interface Conflict {
    type: Type;
    id: string;
    /** JSON Pointers */
    fields: string[];
}

/** What an undo is to do. */
class Plan {
    readonly conflicts: Conflict[] = [];
    readonly skipped: Skipped[] = [];
    readonly targets: Readonly<Record<Type, Target[]>> = { project: [], page: [], element: [] };

    conflict(type: Type, id: string, fields: string[] = []): void {
        this.conflicts.push({ type, id, fields });
    }

    /** Takes back what the change did to one thing. */
    async takeBack(type: Type, { first, fields }: Thing, moderator: boolean): Promise<void> {
        const { id, was_gone: wasGone, gone_after: goneAfter, gone_now: goneNow, touched } = first;
        const pointers = fields.filter(({ field }) => field !== 'self').map(({ field }) => `/${field}`);
        const wasDeleted = !wasGone && goneAfter;
        const wasRestored = wasGone && !goneAfter;
        if (wasDeleted ? !goneNow : wasRestored && goneNow) {
            return;
        }

        if ((wasDeleted || wasRestored) && touched) {
            this.conflict(type, id);
        }
        else if (wasRestored) {
            this.targets[type].push({ id, shown: false });
        }
        else if (wasDeleted && first.moderated && !moderator) {
            this.skipped.push({ type: type === 'page' ? 'page' : 'element', id });
        }
        else if (wasDeleted && first.page_gone && !this.targets.page.some((page) => page.id === first.page_id)) {
            this.conflict(type, id);
        }
        else if (!wasDeleted && (goneNow || first.page_gone) && pointers.length > 0) {
            this.conflict(type, id, pointers);
        }
        else {
            await this.#mergeBack(type, id, fields, wasDeleted);
        }
    }

    async #mergeBack(type: Type, id: string, fields: readonly Replaced[], wasDeleted: boolean): Promise<void> {
        const columns = fields.filter((field) => field.field !== 'self' && field.field !== 'tags' && !isPulledSince(field));
        if (columns.length === 0 && !wasDeleted) {
            return;
        }

        const sides = (pick: (field: Replaced) => string | null): Record<string, unknown> => Object.fromEntries(columns.map((field) => {
            const text = String(pick(field));
            return [field.field, freeKeys.has(field.field) ? new JsonText(text) : JSON.parse(text)];
        }));
        const before = sides((field) => field.before);
        const { fields: merged, conflicts } = await mergeFields(sides((field) => (field.later ? field.after : field.before)), before, sides((field) => (field.later ? field.current : field.before)));
        if (conflicts.length > 0) {
            this.conflict(type, id, conflicts);
        }
        else {
            this.targets[type].push({ id, shown: true, ...merged });
        }
    }
}

/** Whether the change was a pull, and there was another one since: the remix stays at the revision of that. */
const isPulledSince = ({ field, later, after, current }: Replaced): boolean => field === 'remixed_revision' && later && after !== current;

/** What the change replaced of one thing. Each row also says how the thing is. */
interface Thing {
    first: Replaced;
    fields: Replaced[];
}

function byThing(rows: readonly Replaced[]): Thing[] {
    const things = new Map<string, Thing>();
    for (const row of rows) {
        const known = things.get(row.id);
        if (known === undefined) {
            things.set(row.id, { first: row, fields: [row] });
        }
        else {
            known.fields.push(row);
        }
    }

    return [...things.values()];
}

/**
 * Takes back what one change did, as a new change. The project is locked.
 * @param point the revision at which the change ended
 * @throws 409 if it cannot be undone, or something was changed since; NothingToChange
 */
export async function undoChange(trx: Database, project: string, point: number, writer: Writer, moderator: boolean): Promise<Restored> {
    const change = await runOne(trx, size, [project, point]);
    // A project from before the history has no change yet: all that was is its first.
    if (change === undefined || notUndoable.has(change.kind)) {
        throw fault('not_undoable');
    }

    if (change.bytes > MOST_BYTES) {
        throw fault('not_undoable', 'This change replaced more than 32 MiB, which is too much to undo. Restore the point before it.');
    }

    const plan = new Plan();
    for (const type of ['project', 'page', 'element'] as const) {
        for (const fields of byThing(await run(trx, replacements[type], [project, point]))) {
            await plan.takeBack(type, fields, moderator);
        }
    }

    for (const { type, id, touched } of await run(trx, made, [project, point])) {
        if (touched) {
            plan.conflict(type, id);
        }
        else {
            plan.targets[type].push({ id, shown: false });
        }
    }

    if (plan.conflicts.length > 0) {
        throw faultWith('undo_conflict', [], { conflict: JSON.stringify({ conflicts: plan.conflicts.slice(0, MOST_TOLD) }) });
    }

    const { page, element, project: [own] } = plan.targets;
    const begun = await runAlways(trx, undoBegins, [project, writer.id, jsonOf(projectRowOf(own))]);
    const back = page.filter(({ shown }) => shown).map(({ id }) => id);
    const outcome = await rewrite(trx, project, begun.revision, [elementsBack, [jsonOf(element), back]], [pagesBack, [jsonOf(page)]]);
    return finish(trx, project, begun, outcome, plan.skipped);
}

/** The columns of the project; those left out stay. */
function projectRowOf({ id: _id, shown: _shown, ...fields }: Target = { id: '', shown: true }): object {
    return typeof fields.description === 'string' ? { ...fields, tags: tagsOf(fields.description) } : fields;
}
