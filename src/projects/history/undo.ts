import type { Writer } from '../../rules/access';
import { changeSet } from '../../rules/change-set';
import { columnDefinitions, elementColumns, pageColumns, projectColumns } from '../../rules/columns';
import { mergeFields } from '../../rules/merge';
import { tagsOf } from '../../rules/tags';
import type { Database } from '../../database/statements/connection';
import { run, runAlways } from '../../database/statements/statement';
import { fault, faultWith } from '../../api/errors/errors';
import { JsonText, freeKeys, jsonOf } from '../../api/json/json-text';
import type { ThingType } from '../../api/representations/things';
import { MAX_CONFLICTS, MAX_UNDONE_BYTES, inBytes } from '../../limits';
import { extent, made, replacements } from './replaced';
import type { Made, Replaced } from './replaced';
import { writeAndShow } from './restore';
import type { Restored, Skipped } from './restore';

/** Kinds of changes that nothing comes before, or that are no authoring. */
const notUndoable: ReadonlySet<string> = new Set(['create', 'remix', 'import', 'feature']);

/** The new state of a thing: its columns that change, and whether it exists. */
interface UndoTarget {
    id: string;
    shown: boolean;
    [column: string]: unknown;
}

const records = (parameter: string, columns: string): string => `select * from json_to_recordset(${parameter}::json) as r (id bigint, shown boolean, ${columns})`;
const back = changeSet({
    kind: 'undo', parameters: ['json', 'json', 'json'],
    project: `select * from json_to_record($3::json) as r (${columnDefinitions(projectColumns)})`, pages: records('$4', columnDefinitions(pageColumns)), elements: records('$5', columnDefinitions(elementColumns))
});

/** A thing that cannot be taken back, with what of it has changed since. */
interface Conflict {
    type: ThingType;
    id: string;
    /** JSON Pointers */
    fields: string[];
}

/** The writes of an undo. */
class UndoPlan {
    readonly conflicts: Conflict[] = [];
    readonly skipped: Skipped[] = [];
    readonly targets: Readonly<Record<ThingType, UndoTarget[]>> = { project: [], page: [], element: [] };
    /** whether each page that changes is there after the undo */
    readonly #pages = new Map<string | null, boolean>();

    conflict(type: ThingType, id: string, fields: string[] = []): void {
        this.conflicts.push({ type, id, fields });
    }

    #target(type: ThingType, target: UndoTarget): void {
        this.targets[type].push(target);
        if (type === 'page') {
            this.#pages.set(target.id, target.shown);
        }
    }

    /** Removes what the change made, unless it is gone with its page. */
    unmake({ type, id, touched, page_id: page, page_gone: pageGone }: Made): void {
        if (pageGone && !this.#pages.has(page)) {
            return;
        }

        if (touched) {
            this.conflict(type, id);
        }
        else {
            this.#target(type, { id, shown: false });
        }
    }

    /** Takes back what the change did to one thing. */
    async takeBack(type: ThingType, { first, fields }: Thing, moderator: boolean): Promise<void> {
        const { id, was_gone: wasGone, gone_after: goneAfter, gone_now: goneNow, touched } = first;
        const pointers = fields.filter(({ field }) => field !== 'self').map(({ field }) => `/${field}`);
        const pageGone = first.page_gone && !this.#pages.has(first.page_id);
        if (wasGone && goneNow) {
            return;
        }

        if (wasGone && !goneAfter) {
            if (touched) {
                this.conflict(type, id);
            }
            else {
                this.#target(type, { id, shown: false });
            }
        }
        else if (goneAfter && goneNow) {
            if (touched) {
                this.conflict(type, id);
            }
            else if (first.moderated && !moderator) {
                this.skipped.push({ type: type === 'page' ? 'page' : 'element', id });
            }
            else if (pageGone) {
                this.conflict(type, id);
            }
            else {
                await this.#mergeBack(type, first, fields, true);
            }
        }
        else if ((goneNow || pageGone) && pointers.length > 0) {
            this.conflict(type, id, pointers);
        }
        else {
            await this.#mergeBack(type, first, fields, false);
        }
    }

    async #mergeBack(type: ThingType, { id }: Replaced, fields: readonly Replaced[], wasDeleted: boolean): Promise<void> {
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
            this.#target(type, { id, shown: true, ...merged });
        }
    }
}

/** Whether the change was a pull, and there was another one since: the remix stays at the revision of that. */
const isPulledSince = ({ field, later, after, current }: Replaced): boolean => field === 'remixed_revision' && later && after !== current;

/** The fields of one thing that the change replaced. Each row also says how the thing is. */
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
 * Takes back all that one change did, as a new change. The project is locked.
 * @param point the revision at which the change ended
 * @throws 409 if it cannot be undone, or something was changed since; NothingToChange
 */
export async function undoChange(trx: Database, project: string, point: number, writer: Writer): Promise<Restored> {
    const change = await runAlways(trx, extent, [project, point]);
    if (notUndoable.has(change.kind)) {
        throw fault('not_undoable');
    }

    if (change.bytes > MAX_UNDONE_BYTES) {
        throw fault('not_undoable', `This change replaced more than ${inBytes(MAX_UNDONE_BYTES)}, which is too much to undo. Restore the point before it.`);
    }

    if (change.incomplete) {
        throw fault('not_undoable', 'Some of what this change removed was deleted for good, so that all of it cannot be undone. Restore the point before it.');
    }

    const place = [project, point, change.since];
    const plan = new UndoPlan();
    for (const type of ['project', 'page', 'element'] as const) {
        for (const fields of byThing(await run(trx, replacements[type], place))) {
            await plan.takeBack(type, fields, writer.moderator);
        }
    }

    (await run(trx, made, place)).forEach((thing) => plan.unmake(thing));
    if (plan.conflicts.length > 0) {
        throw faultWith('undo_conflict', [], { conflict: JSON.stringify({ conflicts: plan.conflicts.slice(0, MAX_CONFLICTS) }) });
    }

    const { page, element, project: [own] } = plan.targets;
    return writeAndShow(trx, back, project, writer, [jsonOf(projectRowOf(own)), jsonOf(page), jsonOf(element)], plan.skipped);
}

/** The columns of the project; those left out stay. */
function projectRowOf({ id: _id, shown: _shown, ...fields }: UndoTarget = { id: '', shown: true }): object {
    return typeof fields.description === 'string' ? { ...fields, tags: tagsOf(fields.description) } : fields;
}
