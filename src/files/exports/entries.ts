import { joinProject } from '../../projects/fragments';
import type { NewEntry } from '../zip/write-zip';
import type { AssetStorage } from '../assets/storage';
import { extensions, uncompressed } from '../assets/types';
import { ownCopy } from '../../api/request/own-copy';
import { gone } from '../../database/statements/deletion';
import type { Read } from '../../database/statements/snapshot';
import { FORMAT, HISTORY_FILE, PROJECT_FILE, assetFile } from '../format/schema';
import { isoTime, plainQuoted, quoted } from '../../database/statements/json-sql';
import type { Point } from '../../projects/history/queries';
import { snapshotsOf } from '../../projects/history/snapshots';
import { piecesOf } from '../../projects/pages/pieces';
import type { PagePieces } from '../../projects/pages/pieces';
import { elementInFile, pageInFile, projectInFile } from './file-json';
import { historyFileTexts } from './history-file';
import { findAssets } from './queries';
import type { Exported, ExportedAsset } from './queries';

const texts = { page: pageInFile, element: elementInFile() };
export const livePieces = piecesOf(texts);
const deletedPieces = piecesOf({ ...texts, project: `${joinProject('g.project_id')} and ${gone('p')}` });

/** A project that is exported, and how. */
export interface Export {
    /** finds it, in the snapshot in which all of it is read */
    find(read: Read): Promise<Exported | undefined>;
    history: boolean;
    /** whether it is in the trash */
    deleted?: boolean;
}

/** Number of assets whose facts are read together. */
const MOST = 500;

/** References to assets in JSON text. */
const references = /"asset:([0-9a-f]{64})"/gi;

/** Collects the references to assets in JSON that passes through. A reference is a string, so it is never split between two pieces. */
export async function* noting(assets: Set<string>, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
    for await (const piece of pieces) {
        for (const [, hash = ''] of piece.matchAll(references)) {
            assets.add(ownCopy(hash.toLowerCase()));
        }

        yield piece;
    }
}

/** The text of `project.json`. */
export async function* projectFile(read: Read, { allPages }: PagePieces, { author, revision, project, pages }: Exported): AsyncGenerator<string> {
    yield `{"$schema":"/schemas/project.json","format":"${FORMAT.project}","version":${FORMAT.version},\n`;
    yield `"origin":{"author":${author},"revision":${revision},"exported_at":"${new Date().toISOString()}"},\n"project":${project},\n"pages":[`;
    yield* allPages(read, pages);
    yield ']}\n';
}

/**
 * The files of an export of a project; none if it is not found.
 * @throws ChangedWhileSent if it has changed
 */
export async function* entriesOf(read: Read, storage: AssetStorage, { find, history, deleted = false }: Export): AsyncGenerator<NewEntry> {
    const found = await find(read);
    if (found === undefined) {
        return;
    }

    const assets = new Set<string>();
    yield { name: PROJECT_FILE, content: noting(assets, projectFile(read, deleted ? deletedPieces : livePieces, found)) };
    if (history) {
        yield { name: HISTORY_FILE, content: noting(assets, historyFileTexts(read, found)) };
    }

    yield* assetEntries(read, storage, [...assets].sort());
}

/** A project as it was, in the texts of a file. */
const snapshots = snapshotsOf({
    project: `'"origin":{"author":' || ${quoted('u.username')} || ',"revision":' || p.revision || ',"exported_at":' || ${plainQuoted(isoTime('now()'))} || '},"project":' || ${projectInFile}`,
    page: pageInFile, element: elementInFile()
});

/** The text of `project.json` of a project as it was at a point. */
export async function* pointFile(read: Read, project: string, point: Point): AsyncGenerator<string> {
    const { project: own, json, pages } = await snapshots.find(read, project, point);
    yield `{"$schema":"/schemas/project.json","format":"${FORMAT.project}","version":${FORMAT.version},\n${own},\n"pages":[`;
    if (json === null) {
        yield* snapshots.pages(read, project, point, pages);
    }
    else {
        yield json;
    }

    yield ']}\n';
}

/** The files of an export of a project as it was at a point. */
export async function* entriesAt(read: Read, storage: AssetStorage, project: string, point: Point): AsyncGenerator<NewEntry> {
    const assets = new Set<string>();
    yield { name: PROJECT_FILE, content: noting(assets, pointFile(read, project, point)) };
    yield* assetEntries(read, storage, [...assets].sort());
}

/** An asset that exists, and its bytes. */
interface FoundAsset extends ExportedAsset {
    bytes: AsyncGenerator<Buffer>;
}

/** Those of the assets that exist. */
export async function* foundAssets(read: Read, storage: AssetStorage, hashes: readonly string[]): AsyncGenerator<FoundAsset> {
    for (let from = 0; from < hashes.length; from += MOST) {
        for (const asset of await findAssets(read, hashes.slice(from, from + MOST))) {
            yield { ...asset, bytes: bytesOf(storage, asset.hash) };
        }
    }
}

/** The files of those of the assets that exist. */
export async function* assetEntries(read: Read, storage: AssetStorage, hashes: readonly string[]): AsyncGenerator<NewEntry> {
    for await (const { hash, type, bytes } of foundAssets(read, storage, hashes)) {
        yield { name: assetFile(hash, extensions[type]), content: bytes, compress: uncompressed.has(type) };
    }
}

async function* bytesOf(storage: AssetStorage, hash: string): AsyncGenerator<Buffer> {
    yield* await storage.open(hash);
}
