import { inProject, writing } from '../../database/declaration';
import type { Writer } from '../../rules/access';
import { changeableOf, columnDefinitions, elementColumns, pageColumns, projectColumns, recordedOf, nulls } from '../../rules/columns';
import { mergeFields } from '../../rules/merge';
import { tagsOf } from '../../rules/tags';
import type { Database } from '../../database/statements/connection';
import { gone, live } from '../../database/statements/deletion';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { fault, faultWith } from '../../api/errors/errors';
import { JsonText, freeKeys, jsonOf } from '../../api/json/json-text';
import type { ThingType } from '../../api/representations/things';
import { MOST_CONFLICTS, MOST_UNDONE_BYTES, inBytes } from '../../limits';
import { extent, made, replacements } from './replaced';
import type { Made, Replaced } from './replaced';
import { begins, begunColumns, finish, ifDifferent } from './restore';
import type { Restored, Skipped } from './restore';
import { rewrite, rewriteElements, rewritePages } from './rewrite';

/** Kinds of changes that nothing comes before, or that are no authoring. */
const notUndoable: ReadonlySet<string> = new Set(['create', 'remix', 'import', 'feature']);

/** The new state of a thing: its columns that change, and whether it exists. */
interface UndoTarget {
    id: string;
    shown: boolean;
    touched?: boolean;
    [column: string]: unknown;
}

const recordset = (parameter: string, columns: string): string => `json_to_recordset(${parameter}::json) as r (id bigint, shown boolean, touched boolean, ${columns})`;
const [elementNames, pageNames, projectNames] = [changeableOf(elementColumns), changeableOf(pageColumns), recordedOf(projectColumns)];
// The elements of a page that comes back come with it.
const elementsBack = rewriteElements(['json', 'bigint[]'], `
    select r.id, r.shown, r.touched, ${ifDifferent(elementNames, 'r', 'e')} from ${recordset('$3', columnDefinitions(elementColumns))} join elements e on e.id = r.id
    union all
    select e.id, true, true, ${nulls(elementColumns, elementNames)} from pages g join elements e on e.page_id = g.id
    where g.project_id = $1 and g.id = any($4::bigint[]) and ${gone('g')} and ${live('e')} and e.id not in (select id from ${recordset('$3', columnDefinitions(elementColumns))})`);
const pagesBack = rewritePages(['json'], `select r.id, r.shown, ${ifDifferent(pageNames, 'r', 'g')} from ${recordset('$4', columnDefinitions(pageColumns))} join pages g on g.id = r.id`);
const undoBegins = statement({ parameters: ['bigint', 'bigint', 'json'], row: begunColumns, place: writing(inProject(1)) }, begins('undo', `select ${ifDifferent(projectNames, 'r', 'p')} from json_to_record($3::json) as r (${columnDefinitions(projectColumns)}), projects p where p.id = $1`));

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
    /** elements that are restored in pages that go */
    hidden = 0;
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
            this.#target(type, { id, shown: false, touched: pageGone });
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
                this.#target(type, { id, shown: false, touched: first.page_gone });
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

    async #mergeBack(type: ThingType, { id, page_id: page, page_gone: touched }: Replaced, fields: readonly Replaced[], wasDeleted: boolean): Promise<void> {
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
            this.#target(type, { id, shown: true, touched, ...merged });
            this.hidden += Number(wasDeleted && this.#pages.get(page) === false);
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
export async function undoChange(trx: Database, project: string, point: number, { id, moderator }: Writer): Promise<Restored> {
    const change = await runOne(trx, extent, [project, point]);
    // A project from before the history has no change yet: all that was is its first.
    if (change === undefined || notUndoable.has(change.kind)) {
        throw fault('not_undoable');
    }

    if (change.bytes > MOST_UNDONE_BYTES) {
        throw fault('not_undoable', `This change replaced more than ${inBytes(MOST_UNDONE_BYTES)}, which is too much to undo. Restore the point before it.`);
    }

    if (change.incomplete) {
        throw fault('not_undoable', 'Some of what this change removed was deleted for good, so that all of it cannot be undone. Restore the point before it.');
    }

    const place = [project, point, change.since];
    const plan = new UndoPlan();
    for (const type of ['project', 'page', 'element'] as const) {
        for (const fields of byThing(await run(trx, replacements[type], place))) {
            await plan.takeBack(type, fields, moderator);
        }
    }

    (await run(trx, made, place)).forEach((thing) => plan.unmake(thing));
    if (plan.conflicts.length > 0) {
        throw faultWith('undo_conflict', [], { conflict: JSON.stringify({ conflicts: plan.conflicts.slice(0, MOST_CONFLICTS) }) });
    }

    const { page, element, project: [own] } = plan.targets;
    const begun = await runAlways(trx, undoBegins, [project, id, jsonOf(projectRowOf(own))]);
    const back = page.filter(({ shown }) => shown).map((one) => one.id);
    const { pages, elements: [created, changed, removed] } = await rewrite(trx, project, begun.revision, [elementsBack, [jsonOf(element), back]], [pagesBack, [jsonOf(page)]]);
    return finish(trx, project, begun, { pages, elements: [created - plan.hidden, changed, removed - plan.hidden] }, plan.skipped);
}

/** The columns of the project; those left out stay. */
function projectRowOf({ id: _id, shown: _shown, touched: _touched, ...fields }: UndoTarget = { id: '', shown: true }): object {
    return typeof fields.description === 'string' ? { ...fields, tags: tagsOf(fields.description) } : fields;
}
