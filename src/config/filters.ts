import Joi from 'joi';

import { choice } from './values';
import type { Values } from './values';

/** The settings of what is looked at before others see it. */
export const filterSettings = {
    BLOCKED_WORDS: Joi.string<string | null>().default(null),
    LOOK_FIRST: choice('nobody', 'new').default('nobody'),
    LOOK_DAYS: Joi.number().integer().min(1).max(365).default(7),
    SCAN_URL: Joi.string<string | null>().uri({ scheme: ['http', 'https'] }).max(512).default(null)
        .messages({ 'string.uriCustomScheme': '{{#label}} must be a URL such as http://127.0.0.1:8080/scan' })
};

export const filtersOf = (value: Values<typeof filterSettings>) => ({
    /** the file of words that names do not have, and that projects and comments are held for; null if there is none */
    words: value.BLOCKED_WORDS,
    /** days for which a moderator looks at projects of a new account before lists have them; null if they are listed at once */
    lookDays: value.LOOK_FIRST === 'new' ? value.LOOK_DAYS : null,
    /** where each new picture is looked at before others see it; null if that is nowhere */
    scanUrl: value.SCAN_URL
});
