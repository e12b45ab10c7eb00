import Joi from 'joi';

import { bool, historyJson, isoTime, jsonObject, orNull, plainQuoted, quoted } from '../database/statements/json-sql';
import { MAX_CLASS_TITLE, MAX_HIDE_REASON, MAX_LISTED, MAX_PROJECT_CLASSES, MAX_PUPILS, MAX_PUPIL_NAME, MAX_TEACHERS } from '../limits';
import { idOf, nameLine, shownId, text } from '../api/request/schema';
import { publishLevels } from './publish-levels';
import type { PublishLevel } from './publish-levels';
import { bodyOf, history, next, record, shownRevision, time } from '../api/representations/shapes';
import { somebody, username } from '../api/representations/user';

/** Roles in a class. The constraint class_people_role_known has the same. */
export const classRoles = ['teacher', 'pupil'] as const;

export type ClassRole = typeof classRoles[number];

/** Who of a class reads a project that is in it. The constraint class_projects_audience_known has the same. */
export const audiences = ['teachers', 'class'] as const;

export type Audience = typeof audiences[number];

/** When the class sees what its pupils put into it. The constraint classes_show_known has the same. */
export const shows = ['at once', 'after a look'] as const;

export type Show = typeof shows[number];

/** Whether the class sees a project that is in it, if its audience is the class. The constraint class_projects_state_known has the same. */
export const placeStates = ['shown', 'waiting', 'hidden'] as const;

export type PlaceState = typeof placeStates[number];

/** SQL for the JSON text of the class in the row `c`. */
export const classJson = jsonObject({
    id: plainQuoted('c.id'),
    title: quoted('c.title'),
    publish: plainQuoted('c.publish'),
    comments: bool('c.comments'),
    show: plainQuoted('c.show'),
    picture_sign_in: bool('c.picture_sign_in'),
    revision: 'c.revision',
    history: historyJson('c')
});

/** SQL for the JSON text of the class of a project, in the row `a` of class_projects. */
export const projectClassJson = jsonObject({ id: plainQuoted('a.class_id'), audience: plainQuoted('a.audience'), since: plainQuoted(isoTime('a.since')), state: plainQuoted('a.state'), reason: orNull(quoted('a.reason')) });

/** The fields of a class that its teachers write. */
export interface ClassFields {
    title: string;
    publish: PublishLevel;
    comments: boolean;
    show: Show;
    picture_sign_in: boolean;
}

export const classFields = {
    title: nameLine(MAX_CLASS_TITLE).description('What the class is called; not only blanks.').example('Year 5, Mondays'),
    publish: Joi.valid(...publishLevels).description('What the accounts that the class manages can make visible: nothing, but teachers see what is put into the class (`nobody`); to the class (`class`); to everybody (`everybody`). A tighter level makes private at once what is beyond it.').example('class'),
    comments: Joi.boolean().description('Whether people of the class can comment on projects of the accounts that it manages.').example(true),
    show: Joi.valid(...shows).description('When the class sees what its pupils put into it: `at once`, or once a teacher has had a look (`after a look`). Whoever changes it to `at once` shows what waits.').example('at once'),
    picture_sign_in: Joi.boolean().example(false)
        .description('Whether pupils whose accounts the class manages can sign in with pictures, on devices that a teacher has prepared. The end of it ends their pictures, these devices, and what was signed in there.')
};

/** A class, as it is shown. */
export const classShown = record({ id: idOf('class'), ...classFields, revision: shownRevision.description('Changes of the class itself, not of who is in it.'), history }).id('Class').description('A class: teachers and pupils.');

/** A code as it is shown: three groups of four, without vowels, and without letters and digits that look alike. */
export const classCode = Joi.string().pattern(/^[2-9b-df-hjkmnp-tv-z]{4}(?:-[2-9b-df-hjkmnp-tv-z]{4}){2}$/).description('The code to join by, with `POST /classes`. Only teachers see it.').example('k7pm-3xwr-d9tz');

export const classRole = Joi.valid(...classRoles).description('What the caller is in the class.').example('teacher');

/** The name of a pupil, on one line. */
export const pupilName = nameLine(MAX_PUPIL_NAME).description('The name by which the class knows the pupil; not only blanks.').example('Ana S.');

const person = record({ id: idOf('user'), username: username.allow(null).description('The username; null for other pupils, unless a project of theirs is public.') });

/** A pupil, as the people of the class see them. */
export const pupil = record({
    user: person.description('Their account.'),
    name: pupilName.allow(null).description('The name that a teacher wrote; null if none has.'),
    managed: Joi.boolean().description('Whether the class manages the account.').example(true),
    has_pictures: Joi.boolean().description('Whether they sign in with pictures. False for other pupils.').example(false),
    paused_until: time.allow(null).description('Until when a teacher of this class has paused the account: it reads, and writes nothing. Null if none has, and for other pupils.').example(null),
    since: time.description('Since when they are in the class, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id('Pupil').description('A pupil of a class.');

/** SQL for the JSON text of the pupil in the row `k` of class_people, who is the user in `u`. `showsName` says whether the username is shown, `showsPause` whether a pause is, and pictures. */
export const pupilJson = (showsName: string, isoSince: string, showsPause = 'true'): string => jsonObject({
    user: jsonObject({ id: plainQuoted('u.id'), username: `case when ${showsName} then ${plainQuoted('u.username')} else 'null' end` }),
    name: orNull(quoted('k.name')),
    managed: bool('u.managed_by = k.class_id and u.publish is not null'),
    has_pictures: bool(`${showsPause} and exists (select from class_pictures i where i.class_id = k.class_id and i.user_id = k.user_id)`),
    paused_until: `case when ${showsPause} and k.paused_until > now() then ${plainQuoted(isoTime('k.paused_until'))} else 'null' end`,
    since: plainQuoted(isoSince)
});

export const audience = Joi.valid(...audiences).description('Who of the class reads the project, beside whoever may anyway: its teachers alone, or all of it.').example('class');

export const placeState = Joi.valid(...placeStates).description('Whether the class sees the project, if its audience is the class: it does (`shown`), a teacher has to have a look first (`waiting`), or a teacher has hidden it (`hidden`). The author and the teachers always see it.').example('shown');
export const hideReason = text(1, MAX_HIDE_REASON).description('Why a teacher has hidden it, for the author.').example('It makes fun of somebody.');
const hideReasonShown = hideReason.allow(null).description('Why a teacher has hidden it; null if none has.').example(null);

/** A class that a project is in. */
export const projectClass = record({
    id: idOf('class'), audience, since: time.description('Since when the project is in the class, in UTC.').example('2026-03-01T18:30:00.000Z'), state: placeState, reason: hideReasonShown
}).id('ClassOfProject').description('A class that a project is in.');

export const projectClassList = bodyOf('success', { classes: Joi.array().items(projectClass).max(MAX_PROJECT_CLASSES).description('All of them, in the order in which the project was put into them.') });

export const classBody = (status: 'updated' | 'deleted'): Joi.ObjectSchema => bodyOf(status, { class: classShown });

export const classList = bodyOf('success', { classes: Joi.array().items(record({ class: classShown, role: classRole })).max(MAX_LISTED).description('Newest first.'), next });

export const classRead = bodyOf('success', {
    class: classShown,
    role: classRole,
    code: classCode.optional(),
    teachers: Joi.array().items(somebody).max(MAX_TEACHERS).description('The teachers, in the order in which they came.'),
    pupils: Joi.array().items(pupil).max(MAX_PUPILS).description('The pupils, by their names.')
});

/** Projects on a page of the gallery that the class does not see, for those who do. */
export const unseen = Joi.array().items(record({ project_id: shownId.description('Id of the project.').example('12'), state: Joi.valid('waiting', 'hidden').description('Why.').example('waiting'), reason: hideReasonShown })).max(MAX_LISTED)
    .description('Those of these projects that the class does not see, as a teacher has to have a look first, or has hidden them.');
