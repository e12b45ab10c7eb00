import Joi from 'joi';

import { joinActiveUser, joinUser, usingUser } from '../accounts/users/fragments';
import type { Database } from '../database/statements/connection';
import { isoTime, jsonObject, milliseconds, plainQuoted } from '../database/statements/json-sql';
import { runAlways, runOne, statement } from '../database/statements/statement';
import { fromProjectsOf } from '../projects/fragments';
import { isListed } from '../rules/visibility';
import { listRowColumns } from '../api/request/pagination';
import type { ListPlace, ListRow } from '../api/request/pagination';
import type { Status } from '../api/request/responses';
import { bodyOf, listBody, record, time } from '../api/representations/shapes';
import { somebody, somebodyJson } from '../api/representations/user';
import { usernameKey } from '../api/representations/username';

/** SQL for whether the user in the row `u` has a page, `/u/{username}`: an account that a class manages, once a project of it is public. */
export const hasPage = `(u.publish is null or exists (select ${fromProjectsOf('u.id')} and ${isListed('p')}))`;

/*
 * People whom a user has chosen, by blocking or following them: each with the time since when.
 */

/** SQL for the JSON text of the user in the row `u`, since the time in the row `k`. */
export const chosenJson = jsonObject({ user: somebodyJson, since: plainQuoted(isoTime('k.since')) });

interface Choices {
    /** A page of whom a user has chosen, newest first. */
    list(db: Database, userId: string, place: ListPlace): Promise<ListRow>;
    /** Chooses somebody. The user is held. @returns the JSON text; undefined if the user has chosen as many as one can */
    insert(trx: Database, userId: string, chosenId: string): Promise<string | undefined>;
    /** Ends it, also for somebody whose account is closed. @returns the JSON text, as it was; undefined if there is none */
    remove(trx: Database, userId: string, username: string): Promise<string | undefined>;
}

/** The statements for those whom users have chosen, in rows of `user_id` and `since`. @param column of the row that has the id of whom was chosen @param most of one user */
export function choicesIn(table: 'blocks' | 'follows', column: string, most: number): Choices {
    const list = statement({ parameters: ['bigint', 'timestamp with time zone', 'bigint', 'integer'], row: listRowColumns }, `
        with picked as materialized (
            select k.${column} as id, k.since, ${chosenJson} as json from ${table} k ${joinActiveUser(`k.${column}`)}
            where k.user_id = $1 and (k.since, k.${column}) < ($2::timestamptz, $3::bigint) order by k.since desc, k.${column} desc limit $4::int + 1
        ), shown as materialized (
            select * from picked order by since desc, id desc limit $4::int
        ), last as (
            select * from shown where (select count(*) from picked) > $4::int order by since, id limit 1
        )
        select coalesce((select string_agg(json, ',' order by since desc, id desc) from shown), '') as items,
            (select 0 from last) as rank, (select ${milliseconds('since')} from last) as time, (select id from last) as id`);
    const insert = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
        with k as (
            insert into ${table} (user_id, ${column})
            select $1, $2 where (select count(*) from ${table} o where o.user_id = $1) < ${most} returning *
        )
        select ${chosenJson} as json from k ${joinUser(`k.${column}`)}`);
    const remove = statement({ parameters: ['bigint', 'text'], row: { json: 'text' } }, `
        delete from ${table} k ${usingUser(`k.${column}`)} and k.user_id = $1 and u.username_key = $2 returning ${chosenJson} as json`);
    return {
        list: (db, userId, { before, beforeId, count }) => runAlways(db, list, [userId, before, beforeId, count]),
        insert: async (trx, userId, chosenId) => (await runOne(trx, insert, [userId, chosenId]))?.json,
        remove: async (trx, userId, username) => (await runOne(trx, remove, [userId, usernameKey(username)]))?.json
    };
}

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
