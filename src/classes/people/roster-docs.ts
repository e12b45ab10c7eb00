import Joi from 'joi';

import { operations } from '../../api/description/operation';
import { guarded, onceErrors } from '../../api/errors/registry';
import { bodyOf, record } from '../../api/representations/shapes';
import { somebody } from '../../api/representations/user';
import { KEPT_HOURS, MAX_NAMES } from '../../limits';
import { forTeachers } from '../docs';
import { pupil, pupilName } from '../json';
import { pictures } from '../pictures/json';

/** A pass-phrase, as it is shown once. */
const passphrase = Joi.string().pattern(/^[a-z]+(?: [a-z]+){3}$/).max(60).example('maple window sugar planet')
    .description('The pass-phrase: four words, with blanks between them. It is not shown again.');

/** A new account of a class. */
const enrolled = record({
    user: somebody.description('The account.'),
    name: pupilName.required().description('The name that was sent.'),
    passphrase,
    pictures: pictures.optional()
}).id('EnrolledPupil').description('A new account that the class manages.');

const newAccounts = Joi.array().items(enrolled).max(MAX_NAMES).description('The new accounts, in the order of the names.');

export const rosterOperation = operations('Classes', {
    createPupils: {
        summary: 'Open accounts for pupils',
        notes: `Opens an account for each name, at most ${MAX_NAMES} at once, all of them or none. The class manages them: they have no password but
a pass-phrase of four words, in the language of the teacher if there is a list of it, and a username that does not tell who they are; and pictures, if
the class has \`picture_sign_in\`. Both are shown in this response alone; with an \`Idempotency-Key\`, the same request shows them again to the same
teacher, for ${KEPT_HOURS} hours. ${forTeachers}`,
        answers: { 201: bodyOf('created', { pupils: newAccounts }) },
        errors: onceErrors(...guarded, 'not_local', 'pupil_limit')
    },
    updatePupil: {
        summary: 'Change the name of a pupil, or give them another pass-phrase or pictures',
        notes: `The name by which the class knows them. With \`passphrase\`, an account that the class manages gets a new pass-phrase, and all its
sign-ins and its pictures end at once. With \`pictures\`, it gets new pictures to sign in with (true), where the class has \`picture_sign_in\`, or none
(false); what was signed in with the old ones ends. ${forTeachers}`,
        answers: { 200: bodyOf('updated', { pupil, passphrase: passphrase.optional(), pictures: pictures.optional() }) },
        errors: [...guarded, 'pictures_off']
    }
});
