import type { ReqRef, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import Joi from 'joi';

import { needs, notCached } from '../../api/auth/strategy';
import { fault } from '../../api/errors/errors';
import { ownId } from '../../api/request/caller';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import type { AuthoringServices } from '../../rules/write';
import { noticeOperation } from './docs';
import { letterSetting } from './json';
import { endLetters, getsLetter, languageOfKey, setLetter } from './letter-queries';
import { offPage } from './letter-texts';
import { OFF_PATH } from './letters';

/** The page loads nothing, and sends its form here alone. */
const policy = `default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** The secret of a letter, as the address in it has it. */
const keyInQuery = Joi.object({ key: Joi.string().pattern(/^[A-Za-z0-9_-]{43}$/, 'the key of a letter').required() });

/** Whether somebody gets a letter each day; and the link in these that ends them. */
export function letterRoutes(server: Server, { config, db, write }: AuthoringServices): void {
    const path = '/users/{user}/notices/letter';
    const own = { auth: needs('user'), ...notCached } as const;
    // Where no mail is sent, nothing asks for it.
    const ext = config.mail === null ? { onPreAuth: { method: (): never => {
        throw fault('mail_off');
    } } } : {};
    const ownMessage = 'Only its own user can see and change the letters of an account.';
    const json = (daily: boolean): string => `{"daily":${daily}}`;

    server.route<{ Params: { user: string } }>({
        method: 'GET',
        path,
        options: { ...own, ext, ...noticeOperation('getLetter'), app: { cost: 'cheap' }, validate: { params: ids('user') } },
        handler: async (request, h) => thing(h, 'success', 'letter', json(await getsLetter(db, ownId(request, ownMessage))))
    });

    server.route<{ Params: { user: string }; Payload: { daily: boolean } }>({
        method: 'PUT',
        path,
        options: {
            ...own, ext, ...noticeOperation('setLetter'), app: { cost: 'cheap', whileSuspended: true },
            validate: { params: ids('user'), payload: letterSetting }
        },
        handler: async (request, h) => {
            const userId = ownId(request, ownMessage);
            const { daily } = request.payload;
            await write.together(request, (trx) => setLetter(trx, userId, daily));
            return thing(h, 'updated', 'letter', json(daily));
        }
    });

    /** The page in the language of whose key it is. It says the same whether somebody has the key or not. */
    const page = async <Refs extends ReqRef>(h: ResponseToolkit<Refs>, key: Buffer, isDone: boolean): Promise<ResponseObject> => {
        const html = offPage(await languageOfKey(db, key) ?? '', config.mail?.site ?? 'Pagewright', isDone);
        const response = h.response(html).type('text/html; charset=utf-8');
        return response.header('content-security-policy', policy).header('referrer-policy', 'no-referrer');
    };

    const off = { ...notCached, validate: { query: keyInQuery } } as const;

    server.route<{ Query: { key: string } }>({
        method: 'GET', path: OFF_PATH, options: { ...off, app: { cost: 'cheap' } },
        handler: ({ query }, h) => page(h, Buffer.from(query.key, 'base64url'), false)
    });

    // What is in the body does not matter (RFC 8058, section 3.2): `List-Unsubscribe=One-Click`, or the empty form of the page.
    server.route<{ Query: { key: string } }>({
        method: 'POST',
        path: OFF_PATH,
        options: { ...off, app: { cost: 'cheap', limit: 'writes', readsBody: true } },
        handler: async (request, h) => {
            const key = Buffer.from(request.query.key, 'base64url');
            await endLetters(db, key);
            return page(h, key, true);
        }
    });
}
