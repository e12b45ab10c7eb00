import Joi from 'joi';

import { normalTag } from '../../rules/tags';
import { feedQuery } from '../../api/request/pagination';
import type { ListQuery } from '../../api/request/list-url';
import { language, text } from '../../api/request/schema';
import { bodyOf } from '../../api/representations/shapes';
import { tag } from '../../api/representations/project';
import { knownUsername } from '../../api/representations/user';
import { MAX_TERMS } from '../../limits';

export const languageParams = Joi.object({ language: language.required().description('The reader\'s language tag.') });

export const tagParams = Joi.object({ tag: text(1, 1000).required().description('A tag, in upper or lower case, with or without `#`.').example('jardim') });

export const featuredTags = bodyOf('success', {
    featured: Joi.array().items(tag).max(65_536).description('Tags without `#`, in lower case.').example(['jardim', 'pixelart', 'comic'])
});

/** POST /view-project/{project} */
export const viewed = bodyOf('success', {
    counted: Joi.boolean().description('Whether this view was counted.').example(true)
});

/** A validated query of GET /search. */
export type SearchQuery = ListQuery & {
    q: string;
    language?: string;
    tag?: string;
    author?: string;
};

/** GET /search */
export const searchQuery = feedQuery.keys({
    q: text(1, 200).pattern(/\S/, 'text that is not all blank').required()
        .description(`What to look for: up to ${MAX_TERMS} words of any script; more are ignored. Case and accents do not matter. The beginning of a word is enough, or any part of a Chinese, Japanese or Thai text.`).example('manjeric'),
    language: language.description('Only projects of authors with this language; `pt` includes `pt-BR`.'),
    tag: text(1, 1000).custom((value: string) => normalTag(value.replace(/^#/, ''))).description('Only projects with this tag, in upper or lower case, with or without `#`.').example('jardim'),
    author: knownUsername.description('Only projects of the user with this name.').example('mariana')
});
