import type { Plugin } from '@hapi/hapi';
import Joi from 'joi';

import { needs } from '../../api/auth/strategy';
import { currentUser } from '../../api/request/caller';
import type { ListQuery } from '../../api/request/list-url';
import { placeOf } from '../../api/request/pagination';
import { reply, thing } from '../../api/request/responses';
import { ids, noQuery } from '../../api/request/schema';
import { replyShort, shortQuery } from '../../api/request/short-lists';
import { MAX_LISTED } from '../../limits';
import type { AuthoringServices } from '../../rules/write';
import { decideAppeal, findAppeal, listAppeals, showStatement, summarize } from '../statements/index';
import { appealOutcome, outcomeReason } from '../statements/json';
import type { AppealOutcome } from '../statements/json';
import { moderatorOf, stayModerator } from './acting';
import { logAct } from './acts';
import { appealOperation } from './appeal-docs';
import { lockStated, undo } from './undo';

/** PATCH /moderation/appeals/{statement} */
const decided = Joi.object({ outcome: appealOutcome.required(), reason: outcomeReason.required() });

/** Appeals against decisions, and moderation in numbers. */
export const appeals: Plugin<AuthoringServices> = {
    name: 'appeals',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, now }) {
        // Of what is private they show a title at most, and each decision is a line of the log itself.
        const shared = { auth: needs('projects'), app: { cost: 'cheap', signedIn: true, noted: 'nothing' } } as const;

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/moderation/appeals',
            options: { ...appealOperation('listAppeals'), ...shared, validate: { query: shortQuery } },
            handler: (request, h) => {
                moderatorOf(request);
                const { time, beforeId } = placeOf(request.query);
                return replyShort(h, request, 'appeals', () =>
                    listAppeals(db, { time, afterId: request.query.after === undefined ? '0' : beforeId }), MAX_LISTED);
            }
        });

        server.route<{ Params: { statement: string }; Payload: { outcome: AppealOutcome; reason: string } }>({
            method: 'PATCH',
            path: '/moderation/appeals/{statement}',
            options: { ...appealOperation('decideAppeal'), ...shared, validate: { params: ids('statement'), payload: decided } },
            handler: async (request, h) => {
                const { id: moderatorId } = moderatorOf(request);
                const { outcome, reason } = request.payload;
                const stated = await findAppeal(db, request.params.statement);
                return thing(h, 'updated', 'statement', await write.serialized(request, async (trx) => {
                    await stayModerator(trx, moderatorId);
                    const project = await lockStated(trx, stated);
                    await decideAppeal(trx, stated, moderatorId, outcome, reason);
                    const { type, thingId, userId, projectId } = stated;
                    const place = type === 'user' ? null : projectId;
                    await logAct(trx, {
                        moderatorId, act: outcome === 'upheld' ? 'uphold' : 'reverse', type, id: thingId, projectId: place, ownerId: userId,
                        reason
                    });
                    if (outcome === 'reversed') {
                        await undo(trx, stated, project, currentUser(request), config.trashDays);
                    }

                    return showStatement(trx, stated);
                }, stated.projectId, true));
            }
        });

        server.route({
            method: 'GET',
            path: '/moderation/summary',
            options: {
                ...appealOperation('summarizeModeration'), ...shared, app: { ...shared.app, cost: 'heavy' }, validate: { query: noQuery }
            },
            handler: async (request, h) => {
                moderatorOf(request);
                return reply(h, `{"status":"success","months":${JSON.stringify(await summarize(db, now()))}}`);
            }
        });
    }
};
