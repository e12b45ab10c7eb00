import { signalOf } from './api.js';
import type { Api, CallOptions, SendCall } from './api.js';
import type { Change } from './changes.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Schemas } from './things.js';
import type { OnProgress, ProgressOptions } from './uploads.js';

/** A picture, drawing, sound or video that the service keeps. */
export type Asset = Schemas['Asset'];
export type SentAsset = Schemas['SentAsset'];

export interface UploadOptions extends ProgressOptions {
    /** the media type, if it is not that of the blob */
    type?: string;
}

/** Sends a request with this body. */
export type SendBody = (body: Blob, onProgress: OnProgress | undefined, ...call: Parameters<SendCall>) => Promise<Response>;

export interface Assets {
    /**
     * Sends a file, unless you have sent it before: then `onProgress` says at once that all of it is there.
     * @returns the string that refers to it in `attributes` and `styles`: `asset:` and the SHA-256 of its bytes
     * @throws PagewrightError 400 `type_mismatch`, 409 `quota_exceeded`, 413; TypeError on a page that is not secure (http, and not localhost), where browsers compute no SHA-256
     */
    upload(file: Blob, options?: UploadOptions): Promise<string>;

    /**
     * The string that refers to a file, before it is sent: `asset:` and the SHA-256 of its bytes.
     * @throws TypeError on a page that is not secure, as `upload` does
     */
    reference(file: Blob): Promise<string>;

    /**
     * The address of what a string refers to. A string that is no reference is returned as it is, so this can be used on any `src`.
     * @param options.width pixels that the picture is shown with; the next larger of 64, 160, 320, 640 and 1280 is used
     */
    resolve(reference: string, options?: { width?: number }): string;

    /** Sends the picture of a project, which lists show. It becomes its `thumbnail`. */
    setThumbnail(project: Pick<Schemas['Project'], 'id' | 'user_id'>, picture: Blob, options?: ProgressOptions): Promise<Schemas['Project']>;

    /** The assets that you have sent, newest first. */
    mine(options?: ListOptions): List<SentAsset>;

    /** The changes with a reference for each large data URI in `attributes` and `styles`, whose bytes are sent before. `save` does this if you ask for it. */
    lift(changes: readonly Change[], options?: CallOptions): Promise<Change[]>;
}

const WIDTHS = [64, 160, 320, 640, 1280];

/** Characters from which on a data URI is worth a request of its own. */
const LARGE = 4096;

const reference = /^asset:([0-9a-fA-F]{64})$/;
const dataUri = /^data:((?:image|audio|video)\/[a-z0-9+.-]+)(?:;[a-z0-9=.-]+)*;base64,/i;

async function sha256(file: Blob): Promise<string> {
    if (globalThis.crypto?.subtle === undefined) {
        throw new TypeError('This page is not secure, so the browser computes no SHA-256: open it with https, or at localhost');
    }

    const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const blobOf = (uri: string, type: string): Blob => new Blob([Uint8Array.from(atob(uri.slice(uri.indexOf(',') + 1)), (character) => character.charCodeAt(0))], { type });

/** @param base where the service is, without a slash at the end */
export function assetsOf(api: Api, base: string, send: SendBody): Assets {
    const putBytes = (path: string, inPath: Readonly<Record<string, string>>, body: Blob, type: string, { onProgress, ...options }: ProgressOptions): Promise<Response> => {
        const url = `${base}${path.replace(/\{(\w+)\}/g, (_whole, name) => String(inPath[name]))}`;
        return send(body, onProgress, new Request(url, { method: 'PUT', headers: { 'Content-Type': type }, signal: signalOf(options) ?? null }), path, inPath);
    };

    const upload: Assets['upload'] = async (file, { type = file.type, onProgress, ...options } = {}) => {
        const signal = signalOf(options);
        const hash = await sha256(file);
        const { missing } = (await api.POST('/users/{user}/assets/missing', { params: { path: { user: 'me' } }, body: { ids: [hash] }, ...options })).data;
        if (missing.length > 0) {
            await putBytes('/users/{user}/assets/{sha256}', { user: 'me', sha256: hash }, file, type, { onProgress, signal });
        }
        else {
            onProgress?.(file.size, file.size);
        }

        return `asset:${hash}`;
    };

    /** A JSON value with references for its large data URIs. */
    const lifted = async (value: unknown, signal: AbortSignal | undefined): Promise<unknown> => {
        if (typeof value === 'string') {
            const [, type] = value.length < LARGE ? [] : dataUri.exec(value) ?? [];
            return type === undefined ? value : upload(blobOf(value, type.toLowerCase()), { signal });
        }

        if (typeof value !== 'object' || value === null) {
            return value;
        }

        if (Array.isArray(value)) {
            const items: unknown[] = [];
            for (const item of value) {
                items.push(await lifted(item, signal));
            }

            return items;
        }

        const entries: [string, unknown][] = [];
        for (const [name, item] of Object.entries(value)) {
            entries.push([name, await lifted(item, signal)]);
        }

        return Object.fromEntries(entries);
    };

    return {
        upload,

        reference: async (file) => `asset:${await sha256(file)}`,

        resolve: (text, { width } = {}) => {
            const [, hash] = reference.exec(text) ?? [];
            if (hash === undefined) {
                return text;
            }

            const fitting = width === undefined ? undefined : WIDTHS.find((one) => one >= width);
            return `${base}/assets/${hash.toLowerCase()}${fitting === undefined ? '' : `?width=${fitting}`}`;
        },

        setThumbnail: async ({ id, user_id: user }, picture, options = {}) => {
            const response = await putBytes('/users/{user}/projects/{project}/thumbnail', { user, project: id }, picture, picture.type, options);
            const { project }: { project: Schemas['Project'] } = await response.json();
            return project;
        },

        mine: (options) => each(options, async (query, call) => {
            const { assets, next } = (await api.GET('/users/{user}/assets', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: assets, next };
        }),

        lift: async (changes, options = {}) => {
            const signal = signalOf(options);
            const done: Change[] = [];
            for (const change of changes) {
                done.push(change.method === 'remove' ? change : Object.assign({}, change, { data: await lifted(change.data, signal) }));
            }

            return done;
        }
    };
}
