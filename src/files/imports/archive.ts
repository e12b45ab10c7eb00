import type { FileHandle } from 'node:fs/promises';

import { BadZip, openZip } from '../zip/read-zip';
import type { ZippedFile } from '../zip/read-zip';
import { assetTypes, extensions, isAssetType } from '../assets/types';
import type { AssetType } from '../assets/types';
import { fault, invalid } from '../../api/errors/errors';
import { HISTORY_FILE, PROJECT_FILE } from '../format/schema';
import { MAX_USED_ASSETS } from '../../limits';
import { unpacked } from './packed-again';

const MIB = 1024 * 1024;

/** Maximum bytes of each file once it is inflated: what a project may hold, and the same again for field names and spaces. The history is not read. */
const mostBytes = new Map([[PROJECT_FILE, 512 * MIB], [HISTORY_FILE, 4096 * MIB]]);

/** Maximum number of files and folders: one that a Mac has packed has a second file for each. */
const MAX_FILES = 2 * MAX_USED_ASSETS + 20;

const assetName = /^assets\/([0-9a-f]{64})\.([a-z0-9]{1,5})$/;

/** The type of an asset by the ending of its file's name. */
const typeOf = (ending: string): AssetType | undefined => assetTypes.filter(isAssetType).find((type) => extensions[type] === ending);

/** The file of an asset in a zip. */
export interface ZippedAsset {
    hash: string;
    type: AssetType;
    file: ZippedFile;
}

/** The contents of the zip of an import. */
export interface ImportZip {
    project: ZippedFile;
    assets: ZippedAsset[];
}

function assetOf(name: string, file: ZippedFile): ZippedAsset | undefined {
    const [, hash = '', ending = ''] = assetName.exec(name) ?? [];
    const type = typeOf(ending);
    return type && { hash, type, file };
}

/**
 * Opens the zip of an import, and lists its files. Nothing is inflated.
 * @param limits most bytes of an asset, and of all of them together
 * @throws BadZip if it is not a valid zip of an import, 409 if its assets exceed what a user may have
 */
export async function openImport(handle: FileHandle, size: number, limits: { asset: number; assets: number }): Promise<ImportZip> {
    const files = unpacked(await openZip(handle, size, MAX_FILES));
    const project = files.get(PROJECT_FILE);
    if (project === undefined) {
        throw new BadZip(PROJECT_FILE, 'is missing');
    }

    const assets: ZippedAsset[] = [];
    for (const [name, file] of files) {
        const asset = assetOf(name, file);
        const most = asset === undefined ? mostBytes.get(name) : limits.asset;
        if (most === undefined) {
            throw new BadZip(file.name, 'is not a file of this format');
        }

        if (file.size > most) {
            throw new BadZip(file.name, `would have more than ${most} bytes`);
        }

        assets.push(...asset === undefined ? [] : [asset]);
    }

    if (assets.length > MAX_USED_ASSETS) {
        throw new BadZip('', `has more than ${MAX_USED_ASSETS} pictures, sounds and videos`);
    }

    if (assets.reduce((sum, { file }) => sum + file.size, 0) > limits.assets) {
        throw fault('quota_exceeded', limits.assets);
    }

    return { project, assets };
}

/** The response to a zip that cannot be imported; other errors are returned unchanged. */
export function badZipFault(error: unknown): unknown {
    if (!(error instanceof BadZip)) {
        return error;
    }

    const place = error.place.toWellFormed().slice(0, 200);
    return invalid([{ path: place, message: `${place === '' ? 'the zip' : `"${place}"`} ${error.message.toWellFormed().slice(0, 300)}` }]);
}
