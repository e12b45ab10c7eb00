import Joi from 'joi';

import { ids } from '../../api/request/schema';
import { assetHash } from './json';
import { MAX_HASHES } from '../../limits';
import { POSTER, WIDTHS } from './storage';

export const assetPath = Joi.object({ sha256: assetHash.required() });

export const ownAssetPath = ids('user').keys({ sha256: assetHash.required() });

/** POST …/assets/missing */
export const missingAssetsBody = Joi.object({
    ids: Joi.array().items(assetHash).max(MAX_HASHES).required().description('SHA-256 of each asset that will be used.')
});

/** GET /assets/{sha256} */
export const sizeQuery = Joi.object({
    width: Joi.number().prefs({ convert: true }).valid(...WIDTHS).messages({ '*': `{{#label}} must be one of ${WIDTHS.join(', ')}` })
        .description('Returns the picture as WebP, at most this many pixels wide and never larger than the original; of a GIF, its first frame. Drawings (SVG) are not changed.').example(320),
    height: Joi.number().prefs({ convert: true }).valid(198, POSTER.height).messages({ '*': `{{#label}} must be 198 or ${POSTER.height}` })
        .description(`With \`width=320\`, 198 returns the upper part of the picture in this shape, which lists of older clients have room for. With \`width=${POSTER.width}\`, ${POSTER.height} returns a JPEG of just this size with the whole picture in it, as links in messages show it; also of a drawing.`).example(198)
});
