import Joi from 'joi';

import { joinActiveUser } from '../accounts/users/fragments';
import { isoTime, jsonObject, milliseconds, plainQuoted } from '../database/statements/json-sql';
import { fromProjectsOf } from '../projects/fragments';
import { isListed } from '../rules/visibility';
import type { Status } from '../api/request/responses';
import { bodyOf, listBody, record, time } from '../api/representations/shapes';
import { somebody, somebodyJson } from '../api/representations/user';

/** SQL for whether the user in the row `u` has a page, `/u/{username}`: an account that a class manages, once a project of it is public. */
export const hasPage = `(u.publish is null or exists (select ${fromProjectsOf('u.id')} and ${isListed('p')}))`;

/*
 * People whom a user has chosen, by blocking or following them: each with the time since when.
 */

/** SQL for the JSON text of the user in the row `u`, since the time in the row `k`. */
export const chosenJson = jsonObject({ user: somebodyJson, since: plainQuoted(isoTime('k.since')) });

/**
 * SQL for a page of the list of them, newest first: those after the time $2 and the id $3, as many as $4.
 * Its row is `listRowColumns` of api/request/pagination.
 * @param from reads the rows `k`, and a condition may follow @param column of the row that has the id of whom was chosen
 */
export const chosenPage = (from: string, column: string, which: string): string => `
    with picked as materialized (
        select k.${column} as id, k.since, ${chosenJson} as json ${from} ${joinActiveUser(`k.${column}`)}
        where ${which} and (k.since, k.${column}) < ($2::timestamptz, $3::bigint) order by k.since desc, k.${column} desc limit $4::int + 1
    ), shown as materialized (
        select * from picked order by since desc, id desc limit $4::int
    ), last as (
        select * from shown where (select count(*) from picked) > $4::int order by since, id limit 1
    )
    select coalesce((select string_agg(json, ',' order by since desc, id desc) from shown), '') as items,
        (select 0 from last) as rank, (select ${milliseconds('since')} from last) as time, (select id from last) as id`;

/** The types of the parameters of such a page: whose list it is, and those that `chosenPageValues` fills. */
export const chosenPageTypes = ['bigint', 'timestamp with time zone', 'bigint', 'integer'];

const chosen = (id: string, description: string): Joi.ObjectSchema => record({
    user: somebody.description('Who it is.'), since: time.description('Since when, in UTC.').example('2026-03-01T18:30:00.000Z')
}).id(id).description(description);

interface ChosenBodies {
    body(status: Status): Joi.ObjectSchema;
    list: Joi.ObjectSchema;
}

/**
 * The schemas of a response with somebody whom a user has chosen, and of the list of all.
 * @param one the name of one in a response
 * @param all that of the list
 */
export function chosenBodies(id: string, one: string, all: string, description: string): ChosenBodies {
    const schema = chosen(id, description);
    return {
        body: (status) => bodyOf(status, { [one]: schema }),
        list: listBody(all, schema)
    };
}
