import type { Tool as ShownTool } from '@modelcontextprotocol/server';
import Joi from 'joi';

import { parseLike } from '../../database/samples';
import { jsonSchemaOf } from '../../api/description/schemas';
import type { Components } from '../../api/description/schemas';
import { invalid } from '../../api/errors/errors';
import { hasMoreValuesThan } from '../../api/json/count-values';
import { fieldOf } from '../../api/json/is-object';
import { feedQuery } from '../../api/request/pagination';
import { id, revision } from '../../api/request/schema';
import { detailsOf, validationOptions } from '../../api/request/validation-errors';
import { searchQuery } from '../../community/discovery/schema';
import { MAX_ACTIONS } from '../../limits';
import { actions } from '../../projects/bulk/docs';
import { actionList } from '../../projects/bulk/schema';
import { newProject } from '../../projects/schema';
import type { CallRoute } from './calls';
import { itemsOf, listAfter } from './items';

/** Most items of a list that a tool at `/mcp` shows at once. */
const MAX_TOOL_LISTED = 20;

/** The first words to an assistant. */
export const instructions = `Projects are pages on a grid, with elements on them. Call read_format before you write elements: it says which types there are, and what their attributes and styles mean.
Each call that writes is one change in the history of the project, and undo_change takes it back. Write what belongs together in one call.`;

/** A tool: what the model is told, and what it does by routes of the service. */
interface Tool {
    title: string;
    description: string;
    /** what the model is told of its input */
    input: Joi.ObjectSchema;
    /** what is checked of that here, if the route checks the rest */
    checked?: Joi.ObjectSchema;
    /** what it does to what is there */
    effect: 'reads' | 'adds' | 'changes';
    /** whether it reads a thing that may be large, and shows a part */
    readsWhole?: true;
    /** @returns JSON text */
    run(call: CallRoute, input: Readonly<Record<string, unknown>>): Promise<string>;
}

const project = id.required().description('Id of the project.').example('12');
const page = id.required().description('Id of the page.').example('40');
const after = (what: string): Joi.StringSchema => id.description(`Id of the last ${what} that was shown: the rest follows.`).example('41');

/** Where a list goes on, as in the queries of lists. */
const place = {
    count: Joi.number().integer().min(1).max(MAX_TOOL_LISTED).default(10).description('Most items to return; 10 if left out.').example(10),
    after: feedQuery.extract('after')
};

type Fields = Readonly<Record<string, unknown>>;

/** A query of what is given. */
const queryOf = (fields: Fields): string =>
    String(new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])));

/** A project, which everybody can look up by its id alone, and its path. */
async function projectOf(call: CallRoute, projectId: unknown): Promise<{ path: string; json: Fields }> {
    const { project: json } = parseLike<{ project: Fields }>((await call('GET', `/projects/${projectId}`)).toString(), { project: {} });
    return { path: `/users/${json.user_id}/projects/${projectId}`, json };
}

/** Actions in one change. Projects are made by a tool of their own, and removed by people. */
const isOffered = ({ type, method }: { type: string; method: string }): boolean => type !== 'projects' || method === 'update';
const offered = actions.filter((action) => isOffered({ type: String(action.extract('type').describe().allow?.[0]), method: String(action.extract('method').describe().allow?.[0]) }));

export const tools = new Map(Object.entries<Tool>({
    find_projects: {
        title: 'Find projects',
        description: 'Lists projects, without their pages: the user\'s own, those that others share with the user, or public ones by words that are in them.',
        input: Joi.object({
            among: Joi.valid('own', 'shared', 'public').default('own').description('Which projects. `public` needs `q`, and only that takes it.').example('own'),
            q: searchQuery.extract('q').optional(),
            ...place
        }),
        effect: 'reads',
        run: async (call, { among, ...query }) => {
            const path = among === 'public' ? '/search' : among === 'shared' ? '/users/me/shared' : '/users/me/projects';
            const text = (await call('GET', `${path}?${queryOf({ ...query, ...among === 'own' && { visibility: 'all' } })}`)).toString();
            const { projects, next } = parseLike<{ projects: Fields[]; next: string | null }>(text, { projects: [{}], next: null }, { next: '' });
            return JSON.stringify({ projects: projects.map(({ thumbnail: _thumbnail, ...shown }) => shown), next });
        }
    },
    read_project: {
        title: 'Read a project',
        description: 'Returns a project and its pages, without the elements on them.',
        input: Joi.object({ project, after: after('page') }),
        effect: 'reads',
        readsWhole: true,
        run: async (call, { project: projectId, after: last }) => {
            const { path, json } = await projectOf(call, projectId);
            const pages = await listAfter(await call('GET', `${path}/changes?since=0`), 'pages', last === undefined ? undefined : String(last));
            return `{"project":${JSON.stringify(json)},${pages}}`;
        }
    },
    read_page: {
        title: 'Read a page',
        description: 'Returns the elements of a page, in the order in which they are drawn if they have no zIndex.',
        input: Joi.object({ project, page, after: after('element') }),
        effect: 'reads',
        readsWhole: true,
        run: async (call, { project: projectId, page: pageId, after: last }) => {
            const { path } = await projectOf(call, projectId);
            return `{${await listAfter(await call('GET', `${path}/pages/${pageId}/elements`), 'elements', last === undefined ? undefined : String(last))}}`;
        }
    },
    read_format: {
        title: 'Read the format of elements',
        description: 'Returns the JSON Schema of the types of elements, with what their attributes and styles mean. A page is 320 units wide and 480 high.',
        input: Joi.object({}),
        effect: 'reads',
        run: async (call) => (await call('GET', '/schemas/elements.json')).toString()
    },
    create_project: {
        title: 'Create a project',
        description: 'Creates a project of the user, with one empty page. Make it private, unless the user wants to show it.',
        input: Joi.object({ title: newProject.extract('title'), description: newProject.extract('description'), visibility: newProject.extract('visibility') }),
        checked: Joi.object().unknown(),
        effect: 'adds',
        run: async (call, fields) => (await call('POST', '/users/me/projects', fields)).toString()
    },
    change_project: {
        title: 'Change a project',
        description: `Creates, updates and removes pages and elements, and updates the fields of a project: 1 to ${MAX_ACTIONS} actions in order, all of them or none. It is one change in the history. Keep to one project.
An id can be that of something that an earlier action makes: \`$0.id\` is the id in the result of the first action. A new page needs a place (\`x\`, \`y\`) where no other page is. \`attributes\` and \`styles\` are replaced as a whole.
With \`revision\`, nothing is written over what somebody else wrote since you read it. Returns the id and the new revision of each thing.`,
        input: Joi.object({ actions: actionList.items(Joi.alternatives(...offered).match('one')) }),
        // Joi would take a hundred milliseconds for all that a message has room for, and the route checks the rest.
        checked: Joi.object({ actions: Joi.array().required() }),
        effect: 'changes',
        run: async (call, fields) => {
            const wrong = [fields.actions].flat().findIndex((action) => fieldOf(action, 'type') === 'projects' && fieldOf(action, 'method') !== 'update');
            if (wrong !== -1) {
                throw invalid([{ path: `actions[${wrong}].method`, message: `"actions[${wrong}].method" must be [update]` }]);
            }

            const results: object[] = [];
            for await (const item of itemsOf(await call('POST', '/users/me/bulk', fields), 'results')) {
                const { type, method, id: thing, project_id, page_id, revision: now } = parseLike<Fields>(item.toString(), {});
                results.push({ type, method, id: thing, project_id, page_id, revision: now });
            }

            return JSON.stringify({ status: 'success', results });
        }
    },
    list_changes: {
        title: 'List the changes of a project',
        description: 'Returns the history of a project, newest first: when, who, and how much was changed.',
        input: Joi.object({ project, ...place }),
        effect: 'reads',
        run: async (call, { project: projectId, ...query }) => {
            const { path } = await projectOf(call, projectId);
            return (await call('GET', `${path}/history?${queryOf(query)}`)).toString();
        }
    },
    list_comments: {
        title: 'List the comments on a project',
        description: 'Returns what people say about a project: threads, newest first, with their first answers; with `thread`, all answers of one.',
        input: Joi.object({ project, thread: id.description('Id of the comment that began the thread.').example('71'), ...place }),
        effect: 'reads',
        run: async (call, { project: projectId, ...query }) => {
            const { path } = await projectOf(call, projectId);
            return (await call('GET', `${path}/comments?${queryOf(query)}`)).toString();
        }
    },
    undo_change: {
        title: 'Undo a change',
        description: 'Takes one change of a project back, and leaves later ones as they are. That is a change too, which can be undone. If something of it was changed again later, nothing is done.',
        input: Joi.object({ project, revision: revision.required().description('The `revision` of the change, as list_changes shows it.').example(4, { override: true }) }),
        effect: 'changes',
        run: async (call, { project: projectId, revision: point }) => {
            const { path } = await projectOf(call, projectId);
            return (await call('POST', `${path}/history/${point}/undo`, {})).toString();
        }
    }
}).map(([name, tool]) => [name, { ...tool, run: (call: CallRoute, input: Fields) => tool.run(call, valid(tool, input)) }]));

/** Values in an input above which only the first error is reported: each takes Joi ten microseconds. */
const MANY_VALUES = 10_000;

/** @throws 400 with everything that is wrong with the input */
function valid({ input, checked = input }: Tool, given: Fields): Fields {
    const { error, value }: Joi.ValidationResult<Fields> = checked.validate(given, { ...validationOptions, abortEarly: hasMoreValuesThan(MANY_VALUES, given) });
    if (error) {
        throw invalid(detailsOf(error), error.details.length);
    }

    return value;
}

/** Characters from which on a pattern, such as that of a 64-bit id, is left out. It is checked all the same. */
const LONG = 100;

/** A schema with what it refers to put in, since not every client reads references. */
function wholeSchema(joi: Joi.Schema): ShownTool['inputSchema'] {
    const components: Components = {};
    const schema = jsonSchemaOf(joi, components);
    return JSON.parse(JSON.stringify(schema, (key, value: unknown) => {
        const reference = fieldOf(value, '$ref');
        if (typeof reference === 'string') {
            return components[String(reference.split('/').at(-1))];
        }

        return key === 'pattern' && String(value).length > LONG ? undefined : value;
    }));
}

let shown: ShownTool[] | undefined;

/** The tools, as the protocol lists them. */
export function shownTools(): ShownTool[] {
    shown ??= [...tools].map(([name, { title, description, input, effect }]) => ({
        name, title, description, inputSchema: wholeSchema(input),
        annotations: { readOnlyHint: effect === 'reads', destructiveHint: effect === 'changes', openWorldHint: false }
    }));
    return shown;
}
