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
import { decideAppeal, findAppeal, listAppeals, showStatement } from '../statements/index';
import { appealOutcome, outcomeReason } from '../statements/json';
import type { AppealOutcome } from '../statements/json';
import { summarize } from '../statements/summary';
import { moderatorOf, stayModerator } from './acting';
import { logAct } from './acts';
import { reasonOf } from './decisions';
import { moderationOperation } from './docs';
import { lockStated, undo } from './undo';
import type { StatedPictures } from './undo';

/** PATCH /moderation/appeals/{statement} */
const decided = Joi.object({ outcome: appealOutcome.required(), reason: outcomeReason.required() });

/** Appeals against decisions, and moderation in numbers. */
export const appeals: Plugin<AuthoringServices & { pictures: StatedPictures }> = {
    name: 'appeals',
    dependencies: ['token-strategy'],
    register(server, { config, db, write, now, pictures }) {
        // Of what is private they show a title at most, and each decision is a line of the log itself.
        const shared = { auth: needs('projects'), app: { cost: 'cheap', signedIn: true, noted: 'nothing' } } as const;

        server.route<{ Query: ListQuery }>({
            method: 'GET',
            path: '/moderation/appeals',
            options: { ...moderationOperation('listAppeals'), ...shared, validate: { query: shortQuery } },
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
            options: { ...moderationOperation('decideAppeal'), ...shared, validate: { params: ids('statement'), payload: decided } },
            handler: async (request, h) => {
                const { id: moderatorId } = moderatorOf(request);
                const { outcome, reason } = request.payload;
                const stated = await findAppeal(db, request.params.statement);
                return thing(h, 'updated', 'statement', await write.serialized(request, async (trx) => {
                    await stayModerator(trx, moderatorId);
                    const project = await lockStated(trx, stated, pictures);
                    await decideAppeal(trx, stated, moderatorId, outcome, reason);
                    const { type, thingId, userId, projectId, picture } = stated;
                    await logAct(trx, {
                        moderatorId, act: outcome === 'upheld' ? 'uphold' : 'reverse', type: type === 'picture' ? 'user' : type, id: thingId,
                        projectId: projectId === '0' ? null : projectId, ownerId: userId, reason: picture === null ? reason : reasonOf(picture, reason)
                    });
                    if (outcome === 'reversed') {
                        await undo(trx, stated, project, currentUser(request), { pictures, days: config.trashDays });
                    }

                    return showStatement(trx, stated);
                }, stated.projectId, true));
            }
        });

        server.route({
            method: 'GET',
            path: '/moderation/summary',
            options: {
                ...moderationOperation('summarizeModeration'), ...shared, app: { ...shared.app, cost: 'heavy' }, validate: { query: noQuery }
            },
            handler: async (request, h) => {
                moderatorOf(request);
                return reply(h, `{"status":"success","months":${JSON.stringify(await summarize(db, now()))}}`);
            }
        });
    }
};
