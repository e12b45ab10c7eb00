import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Knex } from 'knex';

import { decodeDataUri, replaceDataUris } from '../../files/assets/data-uris';
import { inspectFile } from '../../files/assets/inspect-file';
import { deleteFile } from '../../files/assets/receive-file';
import { registerAssets } from '../../files/assets/register';
import type { ReceivedAsset } from '../../files/assets/register';
import type { AssetStorage } from '../../files/assets/storage';
import { databaseFault } from '../../api/errors/database';
import { isFault } from '../../api/errors/errors';
import { NothingToChange } from '../../rules/change-set';
import { operatorWrite } from '../../rules/write';
import { JsonText } from '../../api/json/json-text';
import { findKnown, findThings, quotaUsed, readThings, writeThings } from './lift-queries';
import type { Lifted, Thing } from './lift-queries';

/** Bytes of the pages and elements that are read, and changed, at a time, and how many they are at most. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_THINGS = 100;

export interface LiftOptions {
    /** bytes of all assets that one user may have sent */
    quota: number;
    scanUrl: string | null;
    /** most bytes of an asset */
    most: number;
    /** characters from which on a data URI is lifted */
    atLeast: number;
    /** only counts */
    dry: boolean;
    /** prints why something was not lifted */
    remark(line: string): void;
}

/** The counts of what was lifted, or would be. */
export interface LiftCounts {
    projects: number;
    uris: number;
    bytes: number;
    left: number;
}

/** Things of one project, few enough to be read and changed together. */
function* batchesOf(things: readonly Thing[]): Generator<[Thing, ...Thing[]]> {
    let batch: [Thing, ...Thing[]] | undefined;
    let bytes = 0;
    for (const thing of things) {
        if (batch !== undefined && batch[0].project_id === thing.project_id && batch.length < MAX_THINGS && bytes + thing.bytes <= MAX_BYTES) {
            batch.push(thing);
            bytes += thing.bytes;
        }
        else {
            if (batch !== undefined) {
                yield batch;
            }

            batch = [thing];
            bytes = thing.bytes;
        }
    }

    if (batch !== undefined) {
        yield batch;
    }
}

/**
 * Makes assets of the data URIs in pages and elements, and references to them in their place: one change of a project for each batch. Whatever
 * has been lifted has no data URIs any more, so it can be interrupted and run again. What somebody changes meanwhile is left for the next run.
 */
export class Lifting {
    readonly counts: LiftCounts = { projects: 0, uris: 0, bytes: 0, left: 0 };
    readonly #db: Knex;
    readonly #storage: AssetStorage;
    readonly #options: LiftOptions;
    readonly #projects = new Set<string>();
    /** of a dry run: bytes that each account would send, and all that would be sent */
    readonly #wouldSend = new Map<string, number>();
    readonly #would = new Set<string>();

    constructor(db: Knex, storage: AssetStorage, options: LiftOptions) {
        this.#db = db;
        this.#storage = storage;
        this.#options = options;
    }

    async run(): Promise<LiftCounts> {
        for (let next: string | null = '0'; next !== null;) {
            const { things, last } = await findThings(this.#db, next, this.#options.atLeast);
            for (const batch of batchesOf(things)) {
                await this.#lift(batch);
            }

            next = last;
        }

        return { ...this.counts, projects: this.#projects.size };
    }

    async #lift(batch: [Thing, ...Thing[]]): Promise<void> {
        const [{ project_id: project, user_id: user, username }] = batch;
        const assets = new Map<string, ReceivedAsset>();
        const counts = { uris: 0, bytes: 0 };
        let left = 0;
        try {
            const lifted: Lifted[] = [];
            const lift = async (uri: string): Promise<string | undefined> => {
                const asset = uri.length < this.#options.atLeast ? undefined : await this.#receive(uri, assets);
                left += asset === null ? 1 : 0;
                counts.uris += asset ? 1 : 0;
                counts.bytes += asset?.size ?? 0;
                return asset ? `asset:${asset.hash}` : undefined;
            };

            for (const thing of await readThings(this.#db, batch)) {
                const [attributes, styles] = [await replaceDataUris(thing.attributes, lift), await replaceDataUris(thing.styles, lift)];
                if (attributes !== thing.attributes || styles !== thing.styles) {
                    lifted.push({ ...thing, attributes: attributes === thing.attributes ? null : new JsonText(attributes), styles: styles === thing.styles ? null : new JsonText(styles) });
                }
            }

            if (left > 0) {
                this.#options.remark(`Project ${project} of ${username}: ${left} data URIs stay, as they are not whole, or no picture, sound or video that is accepted.`);
            }

            this.counts.left += left;
            const why = lifted.length === 0 ? undefined : this.#options.dry ? await this.#wouldExceed(user, assets) : await this.#store(batch[0], lifted, assets);
            if (why !== undefined) {
                this.counts.left += counts.uris;
                this.#options.remark(`Project ${project} of ${username}: ${counts.uris} data URIs stay: ${why}`);
            }
            else if (lifted.length > 0) {
                this.counts.uris += counts.uris;
                this.counts.bytes += counts.bytes;
                this.#projects.add(project);
            }
        }
        finally {
            await Promise.all([...assets.values()].map(({ file }) => deleteFile(file)));
        }
    }

    /** Checks what is in a data URI as if it was uploaded. @returns null if it cannot be an asset */
    async #receive(uri: string, assets: Map<string, ReceivedAsset>): Promise<ReceivedAsset | null> {
        const decoded = await decodeDataUri(uri);
        if (decoded === undefined || decoded.bytes.length > this.#options.most) {
            return null;
        }

        const { type, bytes } = decoded;
        const hash = createHash('sha256').update(bytes).digest('hex');
        const before = assets.get(hash);
        if (before !== undefined) {
            return before;
        }

        const file = join(this.#storage.incoming, randomUUID());
        await writeFile(file, bytes, { flag: 'wx', mode: 0o600 });
        try {
            const asset = { file, hash, size: bytes.length, type, ...await inspectFile(file, type, true) };
            assets.set(hash, asset);
            return asset;
        }
        catch {
            await deleteFile(file);
            return null;
        }
    }

    /** Stores the assets that are not there yet as ones that the author has sent, and the references, as one change. @returns why it could not be done */
    async #store({ project_id: project, user_id: user }: Thing, lifted: readonly Lifted[], assets: ReadonlyMap<string, ReceivedAsset>): Promise<string | undefined> {
        try {
            await operatorWrite(this.#db, async (trx) => {
                const known = await findKnown(trx, [...assets.keys()]);
                const fresh = [...assets.values()].filter(({ hash }) => !known.has(hash));
                if (fresh.length > 0) {
                    await registerAssets(trx, this.#storage, user, fresh, { assetQuota: this.#options.quota, scanUrl: this.#options.scanUrl });
                }

                await writeThings(trx, project, lifted);
            });
            return undefined;
        }
        catch (error) {
            if (error instanceof NothingToChange) {
                return 'somebody changed them just now. Run this again.';
            }

            const fault = isFault(error) ? error : databaseFault(error);
            if (!isFault(fault) || !['quota_exceeded', 'asset_limit'].includes(fault.data.code)) {
                throw error;
            }

            return fault.data.code === 'asset_limit' ? fault.message : this.#exceeded();
        }
    }

    /** The limit met by a dry run. */
    async #wouldExceed(user: string, assets: ReadonlyMap<string, ReceivedAsset>): Promise<string | undefined> {
        const known = await findKnown(this.#db, [...assets.keys()]);
        const fresh = [...assets.values()].filter(({ hash }) => !known.has(hash) && !this.#would.has(hash));
        const bytes = fresh.reduce((sum, { size }) => sum + size, this.#wouldSend.get(user) ?? 0);
        if (fresh.length > 0 && bytes + await quotaUsed(this.#db, user) > this.#options.quota) {
            return this.#exceeded();
        }

        fresh.forEach(({ hash }) => this.#would.add(hash));
        this.#wouldSend.set(user, bytes);
        return undefined;
    }

    #exceeded(): string {
        return `the assets of the account would take more than its quota of ${this.#options.quota / 1024 / 1024} MiB. Raise ASSET_QUOTA_MIB for this command, and run it again.`;
    }
}
