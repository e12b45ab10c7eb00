import Joi from 'joi';

import { joinApp } from '../../accounts/apps/fragments';
import { joinUser } from '../../accounts/users/fragments';
import { isoTime, jsonObject, orNull, plainQuoted, quoted } from '../../database/statements/json-sql';
import { idOf, text } from '../request/schema';
import { MAX_ELEMENTS, MAX_PAGES } from '../../limits';
import { appNameJson, namedApp } from './app';
import { record, time } from './shapes';
import { username } from './user';

/** The kinds of changes: what kind of request made it. */
export const changeKinds = ['create', 'edit', 'bulk', 'feature', 'restore', 'undo', 'remix', 'import', 'pull'] as const;

export type ChangeKind = typeof changeKinds[number];

/** JSON text of how many things of a kind were created, updated and removed, from the place `first` of the counts on. */
const countsFrom = (first: number): string => jsonObject({ created: `c.counts[${first}]`, updated: `c.counts[${first + 1}]`, removed: `c.counts[${first + 2}]` });

/** SQL for the JSON text of who wrote, from the row `u`, which may be missing. */
export const writerJson = orNull(jsonObject({ id: plainQuoted('u.id'), username: quoted('u.username') }));

/** SQL that joins the author of a change `c` as `u`, and the app as `a`. Neither may be there any more. */
export const withAuthor = `left ${joinUser('c.author_id')} left ${joinApp('c.app_id')}`;

/** SQL for the JSON text of a change in the row `c` of project_changes, joined `withAuthor`. */
export const changeJson = jsonObject({
    revision: 'c.revision',
    from: 'c.from_revision',
    at: plainQuoted(isoTime('c.at')),
    author: writerJson,
    app: appNameJson,
    kind: plainQuoted('c.kind'),
    counts: jsonObject({ project: `case when c.counts[1] > 0 then 'true' else 'false' end`, pages: countsFrom(2), elements: countsFrom(5) }),
    label: orNull(quoted('c.label'))
});

const counter = (most: number, what: string): Joi.NumberSchema => Joi.number().integer().min(0).max(most).description(what).example(1);
const counts = (most: number, what: string): Joi.Schema => record({
    created: counter(most, 'Created, or restored.'), updated: counter(most, 'Updated.'), removed: counter(most, 'Removed.')
}).description(`The number of ${what} that were created, updated and removed.`);

export const pointLabel = text(1, 100).description('A name for this point. Points with a name are kept for good.').example('Before the school fair');

/** Who wrote, in a response. */
export const writer = record({ id: idOf('user'), username }).allow(null).description('The user who made the change; null if their account was purged, or if an operator\'s command made it.');

/** A change, as it is shown. */
export const change = record({
    revision: Joi.number().integer().min(1).description('The revision of the project after the change.').example(4),
    from: Joi.number().integer().min(0).description('The revision before it; 0 for the first change.').example(3),
    at: time.description('When it was made, in UTC.').example('2026-03-01T18:30:00.000Z'),
    author: writer,
    app: namedApp.description('The app whose token the user made it with; null if it was one of a sign-in or a personal token, or if the app was deleted.'),
    kind: Joi.valid(...changeKinds).description('What kind of request made it. Of several changes that were merged because the points between them are gone: their kind, or `edit` if they have several; `create`, `remix` or `import` if the first change is one of them.').example('edit'),
    counts: record({
        project: Joi.boolean().description('Whether the project\'s own fields changed.').example(false),
        pages: counts(MAX_PAGES * 2, 'pages'),
        elements: counts(MAX_PAGES * MAX_ELEMENTS * 2, 'elements')
    }).description('How many things it changed, each counted once, by what was there before and after it. The elements of a removed page are included.'),
    label: pointLabel.allow(null).example(null)
}).id('Change').description('A change of a project by one request.');
