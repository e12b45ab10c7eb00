import Joi from 'joi';

import { joinProject } from '../../projects/fragments';
import { isoTime, jsonObject, orNull, plainQuoted } from '../../database/statements/json-sql';
import { MAX_HEADER } from '../../limits';
import { shownId } from '../../api/request/schema';
import { record, time } from '../../api/representations/shapes';

const number = (expression: string): string => orNull(`${expression}::text`);

/** SQL for the fields of an asset `a`, given an expression of the service's address. */
const fields = (origin: string): Record<string, string> => ({
    id: plainQuoted('a.hash'), type: plainQuoted('a.type'), size: 'a.size::text', width: number('a.width'), height: number('a.height'),
    url: `to_json(${origin} || '/assets/' || a.hash)::text`
});

/** SQL for the JSON of an asset `a`, given an expression of the service's address. */
export const assetJson = (origin: string): string => jsonObject(fields(origin));

/** JSON of an asset that user `s.user_id` has sent, with their projects that use it. */
export const sentAssetJson = (origin: string): string => jsonObject({
    ...fields(origin),
    sent_at: plainQuoted(isoTime('s.sent_at')),
    projects: `'[' || coalesce((
        select string_agg('"' || id || '"', ',' order by id) from (
            select p.id from used_assets w ${joinProject('w.project_id')} where w.hash = a.hash and p.user_id = s.user_id order by p.id limit 100
        ) own), '') || ']'`
});

const EXAMPLE = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

/** The SHA-256 of an asset, as it is in paths. */
export const assetHash = Joi.string().pattern(/^[0-9a-f]{64}$/, 'a SHA-256 in 64 lower-case hexadecimal digits').description('SHA-256 of the file, in lower-case hex.').example(EXAMPLE);

const side = (what: string): Joi.Schema => Joi.number().integer().min(1).allow(null).description(`Its ${what} in pixels; null for sounds and videos, and for drawings without a size.`).example(480);

const shown = {
    id: assetHash.description('SHA-256 of the file, in lower-case hex. A string `asset:` followed by it refers to the asset, anywhere in `attributes` and `styles`.'),
    type: Joi.string().max(40).description('The media type.').example('image/png'),
    size: Joi.number().integer().min(1).description('Its size in bytes.').example(20_480),
    width: side('width'),
    height: side('height'),
    url: Joi.string().uri({ scheme: ['http', 'https'] }).max(MAX_HEADER).description('The address at which anybody can read it.').example(`http://127.0.0.1:3000/assets/${EXAMPLE}`)
};

export const asset = record(shown).id('Asset').description('A picture, drawing, sound or video.');

export const sentAsset = record({
    ...shown,
    sent_at: time.description('When this user last sent it, in UTC.').example('2026-03-01T18:30:00.000Z'),
    projects: Joi.array().items(shownId.example('12')).max(100).description('Projects of this user that use it, also in their history or trash; the first 100.')
}).id('SentAsset').description('An asset that the user has sent.');

export const quota = record({
    used: Joi.number().integer().min(0).description('Bytes of all assets that the user has sent, each counted once.').example(1_048_576),
    limit: Joi.number().integer().min(0).description('The maximum of `used`, in bytes.').example(524_288_000)
}).description('The size of everything that the user has sent, and its limit.');
