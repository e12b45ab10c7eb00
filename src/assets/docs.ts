import Joi from 'joi';

import { guarded, missing } from '../errors/registry';
import { operations } from '../openapi/operation';
import { asset, assetHash, quota, sentAsset } from '../representations/asset';
import { project, projectBody } from '../representations/project';
import { bodyOf, next } from '../representations/shapes';
import { assetTypes, isImage } from './types';

const uploading = [...guarded, 'hash_mismatch', 'type_mismatch', 'quota_exceeded'] as const;

export const operation = operations('Assets', {
    putAsset: {
        summary: 'Send a picture, drawing, sound or video',
        notes: `The body is the file, its type in \`Content-Type\`; the path says its SHA-256. 201 where this user has not sent it before, 200 where they have. A string \`asset:\` with the SHA-256 in \`attributes\` or \`styles\` refers to it then,
whoever sent it. A picture has at most 50 million pixels in at most 500 frames, and 16,383 on a side. What nothing refers to is removed after 7 days; what a project, its history or its trash refers to is kept. Anybody who knows the SHA-256 can read it.`,
        takes: assetTypes,
        answers: { 200: bodyOf('success', { asset }), 201: bodyOf('created', { asset }) },
        errors: uploading
    },
    findMissingAssets: {
        summary: 'Ask which assets have to be sent',
        notes: 'Those that this user has not sent, whoever else has.',
        answers: { 200: bodyOf('success', { missing: Joi.array().items(assetHash).description('Those of the `ids` that are missing, each once, in order.') }) },
        errors: guarded
    },
    listAssets: {
        summary: 'List one\'s own assets',
        notes: 'What this user has sent, newest first, with which of their projects use it.',
        answers: { 200: bodyOf('success', { assets: Joi.array().items(sentAsset).max(100).description('As many as were asked for, where there are as many.'), next, quota }) },
        errors: guarded
    },
    getAsset: {
        summary: 'Read an asset',
        notes: 'The bytes, which never change. `Range` asks for a part of them.',
        type: [...assetTypes],
        answers: { 200: Joi.any(), 206: Joi.any() },
        headers: ['ETag'],
        errors: [...missing, 'range_not_satisfiable']
    },
    putThumbnail: {
        summary: 'Send the thumbnail of a project',
        notes: 'The body is a picture, its type in `Content-Type`. It becomes an asset of the caller\'s, and `thumbnail` its addresses in two widths. This is a change like that of any other field.',
        takes: assetTypes.filter(isImage),
        answers: { 200: projectBody('updated') },
        errors: [...guarded, 'type_mismatch', 'quota_exceeded', 'revision_conflict'],
        current: project
    }
});
