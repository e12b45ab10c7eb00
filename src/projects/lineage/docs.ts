import Joi from 'joi';

import { guarded, missing } from '../../api/errors/registry';
import { idOf, shownId } from '../../api/request/schema';
import { MAX_ANCESTORS, MAX_CHANGED, MAX_COMPARED_BYTES, MAX_PAGES, inBytes, inWords } from '../../limits';
import { operations } from '../../api/description/operation';
import { writer } from '../../api/representations/change';
import { title } from '../../api/representations/project';
import { bodyOf, pointers, record, shownRevision } from '../../api/representations/shapes';
import { methods, thingTypes } from '../../api/representations/things';
import { rewritten } from '../history/docs';

const ancestor = record({
    id: idOf('project'),
    title: title.optional().description('Its title; if it is not available, its title when the remix was made. Left out if it was not public then.'),
    author: writer.optional().description('Its author; null if their account was purged. Left out if the title is.'),
    available: Joi.boolean().description('Whether the caller can read it.').example(true)
}).id('Ancestor').description('A source of a project, direct or indirect.');

const upstreamChange = record({
    type: Joi.valid(...thingTypes).description('What it is.').example('element'),
    id: shownId.allow(null).description('Its id in the remix; null if the remix does not have it.').example('195'),
    source_id: shownId.description('Its id in the source.').example('95'),
    method: Joi.valid(...methods).description('What happened to it in the source. The elements of created and removed pages are not listed.').example('update'),
    fields: pointers('/attributes/text').description('JSON Pointers (RFC 6901) to the changed fields: `/title`, `/position`, `/attributes/text`. Of an object that is too large to be compared, only the name is listed.'),
    conflict: Joi.boolean().description('Whether the remix has changed the same fields, so that a pull needs `take`.').example(false)
}).id('UpstreamChange').description('A change in the source of a remix.');

export const lineageOperation = operations('Remixes', {
    getLineage: {
        summary: 'List what a project was remixed from',
        notes: `The direct source first, then its source, and so on, at most ${MAX_ANCESTORS}; empty if the project is not a remix. \`remixes\` is the number of public remixes of the project itself.
Credit stays: a remix keeps the titles and authors of its sources that were public when it was made, even if these are deleted or made private later.`,
        answers: { 200: bodyOf('success', {
            ancestors: Joi.array().items(ancestor).max(MAX_ANCESTORS).description('Its sources, the direct one first.'),
            remixes: Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER).description('Number of its public remixes.').example(2)
        }) },
        errors: missing
    },
    getUpstream: {
        summary: 'Read what the source of a remix has changed',
        notes: `Since the remix was made, or since the last pull. The caller needs to be able to read both projects. Titles, thumbnails, pages and elements are compared, with the links of a copy.
Only changes that a pull would bring are listed, so nothing that both sides removed. 410 \`history_gone\` if that state of the source is no longer known: the remix was made by an older release, or the history of the source was too large to be kept.
409 \`upstream_too_large\` for more than ${inWords(MAX_CHANGED)} changed elements on pages that the remix has, or if both sides changed more than ${inBytes(MAX_COMPARED_BYTES)}.`,
        answers: { 200: bodyOf('success', {
            source: record({ id: idOf('project'), revision: shownRevision.description('The current revision of the source.').example(9) }).description('The source.'),
            since: shownRevision.description('The remix has the changes of the source up to this revision.'),
            changes: Joi.array().items(upstreamChange).max(1 + 2 * MAX_PAGES + MAX_CHANGED).description('The changes since then, pages before elements.')
        }) },
        errors: [...missing, 'source_unavailable', 'history_gone', 'upstream_too_large']
    },
    pullUpstream: {
        summary: 'Pull the changes of the source into a remix',
        notes: `This is one change of kind \`pull\`. It can be undone, and then pulled again. It merges three states: the source when the remix was made (or last pulled), the source now, and the remix. Fields are merged as with \`merge\`: \`title\`, \`thumbnail\`,
the position, and each top-level key of \`attributes\` and \`styles\`. New pages and elements are copied as in a remix, with links to the copies. What the source removed goes to the trash. Remixing does not copy the description and its tags, so they are not pulled either.
A moderator can read the changes of a private source, but pull them only as its owner or member; otherwise it is 404 \`source_unavailable\`.
It is a conflict if both sides changed a field to different values, if one side removed what the other changed, or if two pages need the same place. In a conflict nothing is done (409 \`merge_conflict\`), unless \`take\` is given: \`ours\` keeps the state of the remix, \`theirs\` takes that of the source, and everything else
is still merged. If two pages need the same place, the page of the other side moves to the next free place to the right. \`change\` is null if there is nothing to pull. \`skipped\` lists what a moderator removed from the remix, which is not pulled again.`,
        answers: { 200: rewritten('pulled') },
        errors: [...guarded, 'source_unavailable', 'history_gone', 'upstream_too_large', 'merge_conflict', 'element_limit', 'page_limit', 'page_size_limit', 'project_size_limit']
    }
});
