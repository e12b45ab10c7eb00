import Joi from 'joi';

import { MAX_COUNTED_LIKES } from '../../community/likes/fragments';
import { fromOrigin } from '../../files/thumbnails/fragments';
import { bool, historyJson, isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { History } from '../../database/statements/json-sql';
import { inWords, MAX_LAG, MAX_THUMBNAILS } from '../../limits';
import type { Status } from '../request/responses';
import { idOf, shownId, text, webUrl } from '../request/schema';
import { page } from './page';
import { bodyOf, history, listBody, record, shownRevision, time } from './shapes';
import { user, userJson } from './user';
import type { User } from './user';
import { visibilities } from './visibility';
import type { Visibility } from './visibility';

/** SQL for the field `held`, which is there if moderators hold the project: only its author and they see it then. */
const held = `case when p.held_at is null then '' else ',"held":' || ${jsonObject({ reason: quoted('p.held_reason'), at: plainQuoted(isoTime('p.held_at')) })} end`;

const fields = {
    id: plainQuoted('p.id'),
    user_id: plainQuoted('p.user_id'),
    version: quoted('p.version'),
    title: quoted('p.title'),
    description: quoted('p.description'),
    tags: `case when p.tags = '{}' then '[]' else to_json(p.tags)::text end`,
    remixed_from: orNull(plainQuoted('p.remixed_from')),
    featured: bool('p.featured'),
    visibility: plainQuoted('p.visibility'),
    thumbnail: 'p.thumbnail::text',
    revision: 'p.revision',
    author: userJson,
    history: `${historyJson('p')} || ${held}`
};

/** Widths in pixels that the thumbnail of an asset is shown in. */
export const THUMBNAIL_WIDTHS = [320, 640] as const;

/** How a thumbnail that the service made is shown. Older clients have a room of 320 by 198 for it, and draw what is higher over their buttons. */
const madeSizes: Record<(typeof THUMBNAIL_WIDTHS)[number], string> = { 320: 'width=320&height=198', 640: 'width=640' };

const addresses = Object.fromEntries(Object.entries(madeSizes).map(([width, size]) => [width, plainQuoted(`o.origin || '/assets/' || p.made_thumbnail || '?${size}'`)]));

/** SQL for the thumbnail that is shown: the author's, or else the one that the service made. */
const shownThumbnail = `case when p.made_thumbnail is null or p.thumbnail::text <> '{}' then p.thumbnail::text else (select ${jsonObject(addresses)} ${fromOrigin}) end`;

/** SQL for the JSON text of a project in the row `p` and its author in `u`; `thumbnail` is an expression of that field's JSON text. */
export const projectJsonWith = (thumbnail: string): string => jsonObject({ ...fields, thumbnail });

export const projectJson = projectJsonWith(shownThumbnail);

/** A project's JSON with only what the author wrote, as in its history. */
export const authoredProjectJson = projectJsonWith(fields.thumbnail);

const withStats = {
    ...fields,
    thumbnail: shownThumbnail,
    stats: jsonObject({ views: 'coalesce(s.views, 0)', remixes: 'coalesce(s.remixes, 0)' })
};

/** A project's JSON with its counters, from the row `s` of project_stats, if any. */
export const projectWithStatsJson = jsonObject(withStats);

/** A listed project for its author alone. @param likes SQL for how many like it */
export const ownProjectJson = (likes: string): string => jsonObject({ ...withStats, likes });

/** SQL for the JSON text of each field that an author writes, by its name. */
export const authoredJson = (): Record<string, string> => Object.fromEntries(Object.entries(fields).filter(([name]) => name in projectFields));

/** SQL for the entity tag of a project. It also changes with the author, whom the project shows. */
export const projectTag = `(p.revision || '.' || u.revision || case when p.held_at is null then '' else '.' || (extract(epoch from p.held_at) * 1000)::bigint end)`;

/** A tag for readers: it also changes with a thumbnail that the service makes, which is no conflict for writers. */
export const shownProjectTag = `(${projectTag} || coalesce('~' || left(p.made_thumbnail, 12), ''))`;

/** The fields of a project that authors write. */
export interface ProjectFields {
    title: string;
    description: string;
    thumbnail: Record<string, string>;
    visibility: Visibility;
}

/** The JSON that `projectJson` makes, parsed. */
export interface Project extends ProjectFields {
    id: string;
    user_id: string;
    version: string;
    tags: string[];
    remixed_from: string | null;
    featured: boolean;
    revision: number;
    author: User;
    history: History;
    held?: { reason: string; at: string };
}

const url = webUrl(2048);

export const title = text(1, 256).description('The title.').example('Manjericão na janela em cinco passos');
const description = text(0, 1000)
    .description('The description. Its `#hashtags` become the tags of the project.')
    .example('Um #passoapasso para quem só tem um parapeito e meia hora. 🌿 #jardim #manjericão');

/** Widths in pixels, 1 to 4096, to the pictures of that width. */
export const thumbnail = Joi.object().max(MAX_THUMBNAILS).pattern(/^(?:[1-9][0-9]{0,2}|[1-3][0-9]{3}|40[0-8][0-9]|409[0-6])$/, url)
    .messages({ 'object.unknown': '{{#label}} must be a width in pixels, from 1 to 4096' })
    .description(`URLs of small pictures of the project, by their widths in pixels, 1 to 4096; at most ${MAX_THUMBNAILS}. If the author sends none, the service draws one from the first page after a while: \`320\` is its upper part in 320 by 198, and \`640\` the whole page. The revision stays the same then.`)
    .example({ 320: 'https://pictures.example.org/basil-320.png' });

export const visibility = Joi.valid(...visibilities)
    .description('Who can see it: everybody, and it is in all lists (`public`); everybody with its address (`unlisted`); its author, its members, people of classes that it is in, and moderators (`private`).').example('public');

export const projectFields = { title, description, thumbnail, visibility };

export const tag = text(1, 1000);

/** A project, as it is shown. */
export const project = record({
    id: idOf('project'),
    user_id: idOf('user').description('Id of its author.'),
    version: text(1, 32).description('The setting `API_VERSION` of the service when the project was created.').example('1'),
    ...projectFields,
    tags: Joi.array().items(tag).max(500).description('The `#hashtags` of its description in lower case, each once, in their order.').example(['passoapasso', 'jardim', 'manjericão']),
    remixed_from: shownId.allow(null).description('Id of the project that it was remixed from, which may have been deleted; null if it is not a remix.').example(null),
    featured: Joi.boolean().description('Whether a moderator has featured it.').example(true),
    revision: shownRevision,
    author: user,
    history,
    held: record({ reason: text(1, 1000).description('The reason that the moderator gave.').example('Shows the address of a school.'), at: time.description('When it began, in UTC.').example('2026-03-01T18:30:00.000Z') })
        .optional().description('There if moderators hold the project. Only its author and moderators can see it then.')
}).id('Project').description('A project: pages on a grid.');

const count = Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

/** A project with its counters, as lists and GET /projects/{project} show it. */
const projectWithStats = project.keys({
    stats: record({
        views: count.description('Number of views: each viewer counts once a day.').example(204),
        remixes: count.description('Number of remixes that have not been deleted.').example(2)
    }).id('Stats').description(`Counters, which may lag by ${MAX_LAG} seconds.`)
}).id('ProjectWithStats').description('A project and its counters.');

export const projectBody = (status: Status): Joi.ObjectSchema => bodyOf(status, { project });

export const projectWithStatsBody = bodyOf('success', { project: projectWithStats });

export const madeProject = bodyOf('created', { project, page });

/** One page of a list of projects. */
export const projectListBody = listBody('projects', projectWithStats);

/** One page of the list of projects of a user. */
export const userProjectsBody = listBody('projects', projectWithStats.keys({
    likes: count.max(MAX_COUNTED_LIKES).optional().description(`How many like it, up to ${inWords(MAX_COUNTED_LIKES)}; with \`visibility\`.`).example(3)
}).id('ListedProject'));
