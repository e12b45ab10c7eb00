import { bool, history, jsonObject, plainQuoted, quoted } from '../db/json-sql';
import type { History } from '../db/json-sql';
import { userJson } from './user';
import type { User } from './user';

const fields = {
    id: plainQuoted('p.id'),
    user_id: plainQuoted('p.user_id'),
    version: quoted('p.version'),
    title: quoted('p.title'),
    description: quoted('p.description'),
    tags: `case when p.tags = '{}' then '[]' else to_json(p.tags)::text end`,
    remixed_from: `coalesce('"' || p.remixed_from || '"', 'null')`,
    featured: bool('p.featured'),
    thumbnail: 'p.thumbnail::text',
    revision: 'p.revision',
    author: userJson,
    history: history('p')
};

/** SQL for the JSON text of a project in the row `p` and its author in `u`. */
export const projectJson = jsonObject(fields);

/** The same with its counters, from the row `s` of project_stats where there is one. */
export const projectWithStatsJson = jsonObject({
    ...fields,
    stats: jsonObject({ views: 'coalesce(s.views, 0)', remixes: 'coalesce(s.remixes, 0)' })
});

/** SQL for the entity tag of a project: it shows its author, and so moves with the author too. */
export const projectTag = `(p.revision || '.' || u.revision)`;

/** What `projectJson` makes, once read. */
export interface Project {
    id: string;
    user_id: string;
    version: string;
    title: string;
    description: string;
    tags: string[];
    remixed_from: string | null;
    featured: boolean;
    thumbnail: object;
    revision: number;
    author: User;
    history: History;
}
