import type { Plugin, Request } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { ownId } from '../../api/request/caller';
import { keyField } from '../../api/request/idempotency';
import type { ListQuery } from '../../api/request/list-url';
import { thing } from '../../api/request/responses';
import { ids } from '../../api/request/schema';
import { replyShort, shortQuery } from '../../api/request/short-lists';
import { MAX_LISTED } from '../../limits';
import type { AuthoringServices } from '../../rules/write';
import { statementOperation } from './docs';
import { appealText } from './json';
import { addAppeal, listStatements } from './queries';

type StatementParams = {
    user: string;
    statement: string;
};

/** Decisions about a user, for that user. Moderators decide on appeals in community/moderation/appeal-routes.ts. */
export const statements: Plugin<AuthoringServices> = {
    name: 'statements',
    dependencies: ['token-strategy'],
    register(server, { db, write }) {
        const path = '/users/{user}/statements';
        const auth = needs('user');
        // Nobody else reads them, moderators neither.
        const app = { cost: 'cheap', noted: 'nothing' } as const;
        const checkOwn = (request: Pick<Request, 'auth'> & { params: { user: string } }): string =>
            ownId(request, 'This is for the user concerned alone.');

        server.route<{ Params: { user: string }; Query: ListQuery }>({
            method: 'GET',
            path,
            options: { ...statementOperation('listStatements'), auth, app, validate: { params: ids('user'), query: shortQuery } },
            handler: (request, h) => replyShort(h, request, 'statements', (place) => listStatements(db, checkOwn(request), place), MAX_LISTED)
        });

        server.route<{ Params: StatementParams; Payload: { text: string } }>({
            method: 'POST',
            path: `${path}/{statement}/appeal`,
            // Whoever is suspended can say that it is wrong.
            options: {
                ...statementOperation('appeal'), auth, app: { ...app, whileSuspended: true },
                validate: { params: ids('user', 'statement'), payload: Joi.object({ text: appealText.required(), ...keyField }) }
            },
            handler: (request, h) => write.idempotentTransaction(request, h, async (trx) => {
                const { params: { statement }, payload: { text } } = request;
                return thing(h, 'created', 'statement', await addAppeal(trx, checkOwn(request), statement, text)).code(201);
            })
        });
    }
};
