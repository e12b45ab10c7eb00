import { fault } from '../../api/errors/errors';
import { mediaTypeOf } from '../../api/request/media-type';

/** The types of assets, with the ending of a file's name. */
export const extensions = {
    'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp', 'image/gif': 'gif', 'image/avif': 'avif', 'image/svg+xml': 'svg',
    'audio/mpeg': 'mp3', 'audio/mp4': 'm4a', 'audio/ogg': 'ogg', 'audio/wav': 'wav', 'audio/webm': 'weba', 'video/mp4': 'mp4', 'video/webm': 'webm'
} as const;

export type AssetType = keyof typeof extensions;

/** Types whose files are not compressed already. */
export const uncompressed: ReadonlySet<string> = new Set<AssetType>(['image/svg+xml', 'audio/wav']);

/**
 * Other names of the same types, which some browsers and systems use. A moving PNG is one, and QuickTime is the format that MP4 came from.
 */
const aliases: Readonly<Record<string, AssetType>> = {
    'image/jpg': 'image/jpeg', 'image/apng': 'image/png', 'image/vnd.mozilla.apng': 'image/png',
    'audio/x-wav': 'audio/wav', 'audio/wave': 'audio/wav', 'audio/vnd.wave': 'audio/wav', 'audio/mp3': 'audio/mpeg', 'application/ogg': 'audio/ogg', 'audio/opus': 'audio/ogg',
    'audio/x-m4a': 'audio/mp4', 'audio/m4a': 'audio/mp4', 'video/quicktime': 'video/mp4', 'video/x-m4v': 'video/mp4'
};

export const isAssetType = (type: string): type is AssetType => Object.hasOwn(extensions, type);

export const assetTypes: readonly AssetType[] = Object.keys(extensions).filter(isAssetType);

/** The type of an asset by a `Content-Type`. @throws 415 if it is none */
export function assetTypeOf(header: unknown, accepted: (type: AssetType) => boolean = () => true): AssetType {
    const name = mediaTypeOf(header);
    const type = aliases[name] ?? name;
    if (!isAssetType(type) || !accepted(type)) {
        throw fault('unsupported_media_type', `The Content-Type has to be one of ${assetTypes.filter((one) => accepted(one)).join(', ')}.`);
    }

    return type;
}

/** Pictures that consist of pixels: all but drawings. */
export const isPicture = (type: string): boolean => type.startsWith('image/') && type !== 'image/svg+xml';

/** The types of thumbnails, and of what is shown as a picture. */
export const isImage = (type: string): boolean => type.startsWith('image/');
