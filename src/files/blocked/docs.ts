import Joi from 'joi';

import type { Errors } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { bodyOf, record } from '../../api/representations/shapes';
import { reasonText } from '../../community/moderation/schema';
import { MAX_BLOCKED_PICTURES } from '../../community/filters';
import { inWords } from '../../limits';
import { assetHash } from '../assets/json';

const blocked = record({ sha256: assetHash, reason: reasonText.description('The reason.') }).id('BlockedPicture').description('A picture that nobody sees or sends.');
const only: Errors = ['forbidden', 'no_account'];

/** PUT /moderation/assets/{sha256} */
export const newBlock = Joi.object({ reason: reasonText.required().description('The reason, for whoever has sent it, and the log.') });

/** DELETE /moderation/assets/{sha256} */
export const endOfBlock = Joi.object({ reason: reasonText.description('Why it is blocked no longer, for the log.') });

export const blockedOperation = operations('Moderation', {
    blockPicture: {
        summary: 'Block a picture',
        notes: `The file is deleted: within 5 seconds it is 404 for everybody, projects are shown, drawn and exported without it, and nobody has it among their assets. Nobody can send it again, nor a picture that looks nearly the same: saved again, scaled or cut a little. Sounds, videos and drawings are compared by their bytes alone.
What browsers and proxies have kept is not reached. At most ${inWords(MAX_BLOCKED_PICTURES)} are blocked at a time.
Whoever has sent it reads the reason, and can appeal. The log has it as \`block_picture\`, with the hash before the reason, and the moderator as its target. Only moderators can do this. Others get 403, whether or not it exists.`,
        answers: { 200: bodyOf('updated', { blocked }) },
        errors: ['not_found', ...only, 'picture_limit']
    },
    unblockPicture: {
        summary: 'Let a picture be sent again',
        notes: 'The file does not come back: whoever has it can send it again. A picture that the scanner (`SCAN_URL`) refused is there for everybody. Whoever has sent it leaves that to another moderator, as does whoever blocked it once somebody has appealed. The answer has the reason for which it was blocked; the log (`unblock_picture`) has the one that is sent. Only moderators can do this. Others get 403, whether or not it is blocked.',
        answers: { 200: bodyOf('deleted', { blocked }) },
        errors: ['not_found', ...only, 'own_decision']
    }
});
