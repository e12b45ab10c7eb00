import { createHmac, timingSafeEqual } from 'node:crypto';

import type { ResponseObject } from '@hapi/hapi';

import type { Config } from '../../config';
import type { Database } from '../../database/statements/connection';
import { runAlways, statement } from '../../database/statements/statement';
import { fieldOf } from '../json/is-object';
import { usernameKey } from '../representations/username';

/*
 * A browser that has signed in keeps a signed cookie that says as whom, so that limits of guessing can tell it from others at its address. It gives no rights,
 * and nobody is signed in by it. Counters go by the account in it, so whoever signs in often has no more of them.
 */

/** Seconds that browsers keep the cookie: the most that they do. */
const KEPT = 400 * 24 * 3600;

const cookie = /(?:^|;\s*)device=(\d{1,19})\.([\w-]{43})\.([\w-]{43})(?:;|$)/;

const signingKey = statement({ row: { key: 'bytea' } }, 'select key from device_key');

/** A browser that has signed in before. */
export interface Device {
    /** of the account that it signed in to last */
    id: string;
    /** @param name a username's key */
    signedInAs(name: string): boolean;
}

export interface Devices {
    /** The browser that has sent these request headers; undefined if it has not signed in before. */
    deviceOf(headers: Readonly<Record<string, unknown>>): Promise<Device | undefined>;
    /** Adds the cookie to a response that signs somebody in. @param user JSON of the account */
    remember(response: ResponseObject, user: unknown, config: Pick<Config, 'publicUrl'>): Promise<ResponseObject>;
}

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The cookies of browsers that have signed in. All instances have the same key, which is in the database. */
export function devices(db: Database): Devices {
    let reading: Promise<Buffer> | undefined;
    const key = (): Promise<Buffer> => {
        reading ??= runAlways(db, signingKey, []).then((row) => row.key, (error: unknown) => {
            reading = undefined;
            throw error;
        });
        return reading;
    };

    const signed = async (...parts: readonly string[]): Promise<string> => createHmac('sha256', await key()).update(JSON.stringify(parts)).digest('base64url');

    return {
        deviceOf: async ({ cookie: sent }) => {
            const [, id, name, signature] = cookie.exec(typeof sent === 'string' ? sent : '') ?? [];
            if (id === undefined || name === undefined || signature === undefined || !isEqual(signature, await signed('device', id, name))) {
                return undefined;
            }

            const secret = await key();
            return { id, signedInAs: (other) => isEqual(name, nameIn(secret, other)) };
        },
        remember: async (response, user, { publicUrl }) => {
            const id = String(fieldOf(user, 'id'));
            const name = nameIn(await key(), usernameKey(String(fieldOf(user, 'username'))));
            const secure = publicUrl?.startsWith('https:') === true ? '; Secure' : '';
            return response.header('set-cookie', `device=${id}.${name}.${await signed('device', id, name)}; Path=/; Max-Age=${KEPT}; HttpOnly; SameSite=Lax${secure}`, { append: true });
        }
    };
}

/** A name that only this service can read. */
const nameIn = (key: Buffer, name: string): string => createHmac('sha256', key).update(JSON.stringify(['name', name])).digest('base64url');
