import { insertToken } from '../../accounts/tokens/queries';
import type { NewToken } from '../../accounts/tokens/queries';
import { fault, notFound } from '../../api/errors/errors';
import type { RowOf } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { isoTime } from '../../database/statements/json-sql';
import { run, runAlways, runOne, statement } from '../../database/statements/statement';
import { MAX_CLASS_DEVICES } from '../../limits';
import { holdUser } from '../../rules/hold-user';
import { Locked } from '../../rules/locked';
import { joinManaged } from '../access';
import { deviceJson, nameJson, titledJson } from './json';

/*
 * Devices that a teacher has prepared, and signing in there with pictures. What ends them is in the triggers of schema.sql;
 * whoever changes any of it has locked the class.
 */

/** SQL for whether the device in a row is prepared, or its code can still be used. */
const isValid = (row: string): string => `(${row}.code_expires_at > now()) is not false`;

const insert = statement({ parameters: ['bigint', 'bytea'], row: { json: 'text' } }, `
    with over as (delete from class_devices o where o.class_id = $1 and o.code_expires_at <= now()),
    d as (
        insert into class_devices (class_id, hash, code_expires_at)
        select $1, $2, now() + interval '15 minutes'
        where (select count(*) from class_devices o where o.class_id = $1 and ${isValid('o')}) < ${MAX_CLASS_DEVICES}
        returning *
    )
    select ${deviceJson} as json from d`);

/**
 * Adds a device to a class that is locked.
 * @param hash of the code that prepares it
 * @returns its JSON text
 * @throws 409 if the class has as many as it may
 */
export async function insertDevice(trx: Database, classId: string, hash: Buffer): Promise<string> {
    const row = await runOne(trx, insert, [classId, hash]);
    if (row === undefined) {
        throw fault('class_device_limit');
    }

    return row.json;
}

const list = statement({ parameters: ['bigint'], row: { json: 'text' } }, `
    select coalesce(string_agg(${deviceJson}, ',' order by d.id), '') as json from class_devices d
    where d.class_id = $1 and ${isValid('d')}`);

/** The JSON texts of the devices of a class, with commas between them. */
export const listDevices = async (db: Database, classId: string): Promise<string> => (await runAlways(db, list, [classId])).json;

const remove = statement({ parameters: ['bigint', 'bigint'], row: { json: 'text' } }, `
    delete from class_devices d where d.class_id = $1 and d.id = $2 returning ${deviceJson} as json`);

/** Ends a device of a class that is locked, and what was signed in there. @returns its JSON text @throws 404 if there is none */
export async function deleteDevice(trx: Database, classId: string, device: string): Promise<string> {
    const row = await runOne(trx, remove, [classId, device]);
    if (row === undefined) {
        throw notFound('device');
    }

    return row.json;
}

const preparedColumns = { device: 'text', class: 'text' } as const;
const prepare = statement({ parameters: ['bytea', 'bytea', 'text'], row: preparedColumns }, `
    update class_devices d set hash = $2, code_expires_at = null, label = $3, since = now() from classes c
    where d.hash = $1 and d.code_expires_at > now() and c.id = d.class_id and ${live('c')} and c.picture_sign_in
    returning ${deviceJson} as device, ${titledJson} as class`);

type Prepared = RowOf<typeof preparedColumns>;

/** Uses up a code. @param hash of the device's secret @returns the JSON texts of the device and its class; undefined if the code is of none */
export const prepareDevice = (db: Database, code: Buffer, hash: Buffer, label: string | null): Promise<Prepared | undefined> => {
    return runOne(db, prepare, [code, hash, label]);
};

/** SQL that reads devices, in the row `d`, of classes whose pupils can sign in with pictures, in the row `c`. */
const fromDevices = `from class_devices d join classes c on c.id = d.class_id and ${live('c')} and c.picture_sign_in`;

/** SQL that reads the prepared device whose secret has the hash $1. */
const fromPrepared = `${fromDevices} where d.hash = $1 and d.code_expires_at is null`;

const namesColumns = { class: 'text', pupils: 'text' } as const;
const names = statement({ parameters: ['bytea'], row: namesColumns }, `
    select ${titledJson} as class, (
        select coalesce(string_agg(${nameJson}, ',' order by k.name, k.user_id), '')
        from class_pictures i ${joinManaged('i')} where i.class_id = c.id
    ) as pupils
    ${fromPrepared}`);

/** The JSON texts of the class of a prepared device, and of its pupils who have pictures. @returns undefined if there is no such device */
export const listNames = (db: Database, hash: Buffer): Promise<RowOf<typeof namesColumns> | undefined> => runOne(db, names, [hash]);

const foundColumns = { device: 'bigint', hash: 'text?' } as const;
const find = statement({ parameters: ['bytea', 'bigint'], row: foundColumns }, `
    select d.id as device, (select i.hash from class_pictures i where i.class_id = c.id and i.user_id = $2) as hash
    ${fromPrepared}`);

/** A prepared device, and what is stored of the pictures of a pupil of its class. @returns undefined if there is no such device */
export const findPictures = (db: Database, secret: Buffer, pupil: string): Promise<RowOf<typeof foundColumns> | undefined> => {
    return runOne(db, find, [secret, pupil]);
};

const lock = statement({ parameters: ['bigint'], row: { id: 'bigint' } }, `
    select c.id from class_devices d join classes c on c.id = d.class_id where d.id = $1 for share of c`);

const still = statement({ parameters: ['bigint', 'bigint', 'bigint', 'text'], row: { paused: 'text?' } }, `
    select case when u.paused_until > now() then ${isoTime('u.paused_until')} end as paused
    ${fromDevices} join class_pictures i on i.class_id = c.id and i.user_id = $3 and i.hash = $4 ${joinManaged('i')}
    where c.id = $1 and d.id = $2`);

/** A token for whoever has chosen the right pictures. */
type PictureToken = Pick<NewToken, 'userId' | 'hash' | 'label' | 'expiresIn'> & { classDeviceId: string };

/**
 * Signs a pupil in whose pictures were checked, if nothing has ended them meanwhile.
 * @returns the JSON texts of the token and of its user; undefined if something has
 * @throws 403 if the pupil is paused
 */
export async function enterByPictures(trx: Database, hash: string, token: PictureToken): ReturnType<typeof insertToken> {
    const { userId, classDeviceId } = token;
    const held = await Locked.by(trx, 'class', lock, [classDeviceId]);
    // Whoever changes the pass-phrase of one's own has locked the account alone.
    await holdUser(trx, userId);
    const found = held && await runOne(trx, still, [held.id, classDeviceId, userId, hash]);
    if (found === undefined) {
        return undefined;
    }

    if (found.paused !== null) {
        throw fault('paused', found.paused);
    }

    return insertToken(trx, { ...token, passwordHash: null, origin: 'sign_in', projects: null });
}

const put = statement({ parameters: ['bigint', 'bigint[]', 'text[]'], row: { id: 'bigint' } }, `
    insert into class_pictures (class_id, user_id, hash)
    select r.class_id, r.user_id, r.hash
    from (select $1::bigint as class_id, p.* from unnest($2::bigint[], $3::text[]) as p (user_id, hash)) r ${joinManaged('r')}
    on conflict (user_id) do update set hash = excluded.hash returning user_id as id`);

/** Gives pupils of a class that is locked new pictures. @throws 403 if the class does not manage the account of one */
export async function putPictures(trx: Database, classId: string, pupils: readonly { id: string; hash: string }[]): Promise<void> {
    const given = await run(trx, put, [classId, pupils.map(({ id }) => id), pupils.map(({ hash }) => hash)]);
    if (given.length < pupils.length) {
        throw fault('forbidden', 'The class does not manage this account, so its user cannot sign in with pictures.');
    }
}

const take = statement({ parameters: ['bigint', 'bigint'] }, 'delete from class_pictures i where i.class_id = $1 and i.user_id = $2');

/** Takes the pictures of a pupil of a class that is locked away. */
export const deletePictures = (trx: Database, classId: string, pupil: string): Promise<unknown> => run(trx, take, [classId, pupil]);
