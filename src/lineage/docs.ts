import Joi from 'joi';

import { MOST_ANCESTORS } from '../authoring/credits';
import { guarded, missing } from '../errors/registry';
import { idOf, shownId } from '../http/schema';
import { MOST_PAGES } from '../limits';
import { operations } from '../openapi/operation';
import { writer } from '../representations/change';
import { title } from '../representations/project';
import { bodyOf, record, shownRevision } from '../representations/shapes';
import { rewritten } from '../history/docs';
import { MOST_CHANGED } from './changed';

const ancestor = record({
    id: idOf('project'),
    title: title.optional().description('What it is called; what it was called when the remix was made, if it is not available. Left out if it was not public then.'),
    author: writer.optional().description('Who made it; null if their account was purged. Left out together with the title.'),
    available: Joi.boolean().description('Whether the caller may read it.').example(true)
}).id('Ancestor').description('A project that another one goes back to.');

const pointers = Joi.array().items(Joi.string().example('/attributes/text'));

const upstreamChange = record({
    type: Joi.valid('project', 'page', 'element').description('What it is.').example('element'),
    id: shownId.allow(null).description('Its id in the remix; null if the remix does not have it.').example('195'),
    source_id: shownId.description('Its id in the source.').example('95'),
    method: Joi.valid('create', 'update', 'remove').description('What the source did with it. What is on a page that was created or removed is not listed.').example('update'),
    fields: pointers.description('JSON Pointers (RFC 6901) to what was changed in it: `/title`, `/position`, `/attributes/text`. An object that is too large to be looked into is named whole.'),
    conflict: Joi.boolean().description('Whether the remix has changed the same, so that a pull needs `take`.').example(false)
}).id('UpstreamChange').description('Something that the source of a remix changed.');

export const operation = operations('Remixes', {
    getLineage: {
        summary: 'List what a project was remixed from',
        notes: `The nearest first, at most ${MOST_ANCESTORS}; empty if it is no remix. \`remixes\` counts the public remixes of the project itself.
Credit stays: a remix remembers the title and the author of everything that it goes back to, as far as that was public when the remix was made, also when that is deleted or made private later.`,
        answers: { 200: bodyOf('success', {
            ancestors: Joi.array().items(ancestor).max(MOST_ANCESTORS).description('What it was remixed from, what that was remixed from, and so on.'),
            remixes: Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER).description('Public remixes of it.').example(2)
        }) },
        errors: missing
    },
    getUpstream: {
        summary: 'Read what the source of a remix has changed',
        notes: `Since the remix was made, or since the last pull. For whoever may read both. The title, the thumbnail, pages and elements are compared, which a remix copies; links are compared as they are in a copy.
Only what a pull would bring is listed: not what both sides removed. 410 \`history_gone\` if it is not known any more what the source was then: the remix is from an older release, or the source's history was too large to be kept.
409 \`upstream_too_large\` for more than ${MOST_CHANGED.toLocaleString('en-US')} changed elements on pages that the remix has, or if both sides changed more than 32 MiB.`,
        answers: { 200: bodyOf('success', {
            source: record({ id: idOf('project'), revision: shownRevision.description('The present revision of the source.').example(9) }).description('What it was remixed from.'),
            since: shownRevision.description('The revision of the source up to which the remix has its changes.'),
            changes: Joi.array().items(upstreamChange).max(1 + 2 * MOST_PAGES + MOST_CHANGED).description('What the source changed since then, pages before elements.')
        }) },
        errors: [...missing, 'source_unavailable', 'history_gone', 'upstream_too_large']
    },
    pullUpstream: {
        summary: 'Bring the changes of its source into a remix',
        notes: `As one change of kind \`pull\`, which can be undone: the changes are then there to be pulled again. A merge of three states: the source when the remix was made (or last pulled), the source now, and the remix. Fields are merged as with \`merge\`: \`title\`, \`thumbnail\`,
the position, and each top-level key of \`attributes\` and \`styles\`. New pages and elements are copied as a remix does, their links pointed at the copies. What the source removed goes to the trash. The description and its tags are not copied by a remix, and so are not pulled.
It is a conflict if both sides changed a field to different values, if one side removed what the other changed, and if a page is where another one is to be. Then nothing is done (409 \`merge_conflict\`), unless \`take\` decides: \`ours\` keeps what the remix has, \`theirs\` takes what the source has, and everything else is
still brought in. Of two pages for one place, the one of the side that is not taken goes to the next free place to its right. \`change\` is null if there is nothing to pull; its \`counts\` have \`project: true\`, as the remix remembers how far it has come. \`skipped\` lists what a moderator removed from the remix, and therefore stays gone.`,
        answers: { 200: rewritten('pulled') },
        errors: [...guarded, 'source_unavailable', 'history_gone', 'upstream_too_large', 'merge_conflict', 'element_limit', 'page_limit', 'page_size_limit', 'project_size_limit']
    }
});
