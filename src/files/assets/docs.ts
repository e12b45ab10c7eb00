import Joi from 'joi';

import { guarded, missing } from '../../api/errors/registry';
import { operations } from '../../api/description/operation';
import { asset, assetHash, quota, sentAsset } from './json';
import { project, projectBody } from '../../api/representations/project';
import { bodyOf, listBody } from '../../api/representations/shapes';
import { MAX_FRAMES, MAX_HASHES, MAX_PIXELS, MAX_SIDE, UNUSED_ASSET_DAYS, inWords } from '../../limits';
import { assetTypes, isImage } from './types';

const uploading = [...guarded, 'hash_mismatch', 'type_mismatch', 'picture_blocked', 'quota_exceeded'] as const;

export const assetOperation = operations('Assets', {
    putAsset: {
        summary: 'Upload a picture, drawing, sound or video',
        notes: `The body is the file, \`Content-Type\` its type, and the path has its SHA-256. The response is 201 if this user has not sent it before, or else 200. A string \`asset:\` with the SHA-256 in \`attributes\` or \`styles\` refers to it,
no matter who sent it. A picture has at most ${MAX_PIXELS / 1e6} million pixels, ${MAX_FRAMES} frames and ${inWords(MAX_SIDE)} pixels on a side; fewer where it has to be in memory as a whole, as an AVIF (12.6 million). An asset that no project, history or trash refers to is deleted after ${UNUSED_ASSET_DAYS} days. Anybody who knows the SHA-256 can read the asset.`,
        takes: assetTypes,
        answers: { 200: bodyOf('success', { asset }), 201: bodyOf('created', { asset }) },
        errors: uploading
    },
    findMissingAssets: {
        summary: 'Find out which assets need to be uploaded',
        notes: 'Returns those that this user has not sent, even if other users have.',
        answers: { 200: bodyOf('success', { missing: Joi.array().items(assetHash).max(MAX_HASHES).description('The missing ones of the `ids`, each once, in their order.') }) },
        errors: guarded
    },
    listAssets: {
        summary: 'List one\'s own assets',
        notes: 'Everything that this user has sent, newest first, with the projects of this user that use it.',
        answers: { 200: listBody('assets', sentAsset, { quota }) },
        headers: ['Link'],
        errors: guarded
    },
    getAsset: {
        summary: 'Read an asset',
        notes: 'Returns the file, which never changes. With `Range`, only a part of it. Where the service has new pictures scanned (`SCAN_URL`), one that was not let pass yet is 404, but with the token of somebody who has sent it.',
        type: [...assetTypes],
        answers: { 200: Joi.any(), 206: Joi.any() },
        headers: ['ETag'],
        errors: [...missing, 'range_not_satisfiable']
    },
    putThumbnail: {
        summary: 'Upload the thumbnail of a project',
        notes: 'The body is a picture, and `Content-Type` its type. It becomes an asset of the caller, and `thumbnail` gets its URLs in two widths. The change has a new revision, like a change of any other field.',
        takes: assetTypes.filter(isImage),
        answers: { 200: projectBody('updated') },
        errors: [...guarded, 'type_mismatch', 'picture_blocked', 'quota_exceeded', 'revision_conflict'],
        current: project
    }
});
