/** How the rows that the shards return become one result. */
export type Merge =
    /** one after the other */
    | { kind: 'rows' }
    /** one row, with the sums of the numbers */
    | { kind: 'sum' }
    /** the locks of a bulk: a project is locked if one shard says so, and counted if all do that know it */
    | { kind: 'lock' }
    /** a page of a list of projects */
    | { kind: 'page' }
    /** `items` and `last`, the newest by their ids; `count` is a parameter */
    | { kind: 'items'; count: number }
    /** the same for the queue of reports */
    | { kind: 'queue' }
    /** so many first rows by their ids, last ones, or first ones of those that every shard has */
    | { kind: 'first' | 'newest' | 'every'; count: number }
    /** the latest by a column, then by their ids */
    | { kind: 'latest'; column: string }
    /** one row: the first by its id of those in which a column is null, or else of all */
    | { kind: 'pick'; column: string };

/** Where a statement runs on a cluster. */
export type Place =
    /** by the coordinator, on tables that are there */
    | { kind: 'here' }
    /** by the coordinator, which looks up each project by its id */
    | { kind: 'lookup' }
    /** in the shard of the project whose id is a parameter, counted from 1; null for a shard that is always the same one */
    | { kind: 'project'; parameter: number | null; writes: boolean }
    /** makes a project; beside another one if a parameter has its id */
    | { kind: 'new'; beside: number | null }
    /** once for each project in the array that is a parameter; if `rows`, its other arrays have as many elements, and go by them, and `n` of a result is which of them it is for, as an integer */
    | { kind: 'each'; parameter: number; rows: boolean; writes: boolean }
    /** once for each project of the JSON records in the first parameter, which have its id in a field */
    | { kind: 'records'; field: string }
    /** in all shards */
    | { kind: 'everywhere'; writes: boolean; merge: Merge }
    /** nowhere: nobody has said how */
    | { kind: 'nowhere' };

/** Whether a statement names one of the tables that are distributed by the id of a project, or the function that writes to one. */
const named = /\b(?:from|join|into|update|using)\s+(?:projects|pages|elements|featured_projects|project_tags|project_stats|project_views|project_changes|history_gaps|versions|trash|project_members|project_invitations|project_presence|project_search|search_queue|trending|reports|report_queue|asset_uses|asset_set_uses|asset_doubts|made_thumbnails|moderation_log)\b|\blog_act\(/;
const marked = /\/\* place: ([a-z]+)(?: ([$A-Za-z_0-9]+))? \*\//;
const byKey = /\b(?:p\.id|project_id|projects\.id|projects(?: p)? where id) = \$([0-9]+)/g;
const writing = /\b(?:insert into|delete from|for (?:no key update|update|share|key share)|log_act)\b|\bupdate [a-z_]+ (?:[a-z] )?set\b/;

const known = new Map<string, Place>();

/**
 * Where a statement runs, by its text: a comment in it says so, or the one parameter that it compares with the id of a project. A statement that names
 * distributed tables and says neither runs nowhere.
 */
export function placeOf(text: string): Place {
    const place = known.get(text) ?? find(text);
    known.set(text, place);
    return place;
}

function find(text: string): Place {
    const writes = writing.test(text);
    const [, mark, argument = ''] = marked.exec(text) ?? [];
    if (mark !== undefined && mark !== 'together') {
        return placeOfMark(mark, argument, writes);
    }

    if (!named.test(text)) {
        return { kind: 'here' };
    }

    // Lookups of projects by key, of which each returns a row in one shard only.
    if (mark !== undefined) {
        return { kind: 'everywhere', writes, merge: { kind: 'rows' } };
    }

    const keys = new Set([...text.matchAll(byKey)].map(([, n]) => Number(n)));
    const [parameter] = keys;
    return parameter !== undefined && keys.size === 1 ? { kind: 'project', parameter, writes } : { kind: 'nowhere' };
}

function placeOfMark(mark: string, argument: string, writes: boolean): Place {
    const parameter = Number(argument.slice(1));
    switch (mark) {
        case 'here': case 'lookup': return { kind: mark };
        case 'in': return { kind: 'project', parameter, writes };
        case 'one': return { kind: 'project', parameter: null, writes };
        case 'new': return { kind: 'new', beside: argument === '' ? null : parameter };
        case 'each': case 'rows': return { kind: 'each', parameter, rows: mark === 'rows', writes };
        case 'records': return { kind: 'records', field: argument };
        case 'everywhere': return { kind: 'everywhere', writes, merge: { kind: 'rows' } };
        case 'sum': case 'lock': case 'page': case 'queue': return { kind: 'everywhere', writes, merge: { kind: mark } };
        case 'items': return { kind: 'everywhere', writes, merge: { kind: mark, count: parameter } };
        case 'first': case 'newest': case 'every': return { kind: 'everywhere', writes, merge: { kind: mark, count: Number(argument) } };
        case 'latest': case 'pick': return { kind: 'everywhere', writes, merge: { kind: mark, column: argument } };
        default: return { kind: 'nowhere' };
    }
}
