import { PagewrightError } from '../../client/src/index.js';
import type { Client } from '../../client/src/index.js';
import { fieldOf } from '../../src/api/json/is-object';
import { KeptFiles, uploadsName } from '../offline/uploads.js';
import type { KeptFile } from '../offline/uploads.js';
import { readOwnPicture } from '../ui/own-picture.js';

/** Something that is being sent. */
export interface Upload extends KeptFile {
    /** the part that has left, from 0 to 1 */
    part: number;
}

/** Milliseconds until the next try without an answer, at first and at most. */
const [SOON, LATE] = [2000, 60_000];

/** An error that stays, however often the service is asked. */
const isFinal = (error: unknown): error is PagewrightError => error instanceof PagewrightError && error.status >= 400 && error.status < 500 && ![401, 408, 429].includes(error.status);

/** Addresses of files on this device, by hash: they show what the service does not have yet. */
const local = new Map<string, string>();

export const localAddress = (hash: string): string | undefined => local.get(hash);

/** Addresses of pictures that only this user reads, by hash; undefined for what they do not read either. */
const withheld = new Map<string, Promise<string | undefined>>();

/** Shows pictures that could not be loaded to whoever has sent them: until a scanner has let them pass (`SCAN_URL`), that takes their token. */
export function showOwnPictures(client: Client): void {
    addEventListener('error', ({ target }) => {
        const [, hash] = target instanceof HTMLImageElement ? /\/assets\/([0-9a-f]{64})/.exec(target.src) ?? [] : [];
        if (!(target instanceof HTMLImageElement) || hash === undefined) {
            return;
        }

        const address = withheld.get(hash) ?? readOwnPicture(hash, client);
        withheld.set(hash, address);
        void address.then((found) => {
            if (found !== undefined) {
                local.set(hash, found);
                target.src = found;
            }
        }, () => void withheld.delete(hash));
    }, true);
}

const referenceTo = (hash: string): string => `asset:${hash}`;

/** The hashes of the assets that something refers to. */
export const hashesIn = (thing: unknown): string[] => Array.from(JSON.stringify(thing).matchAll(/"asset:([0-9a-f]{64})"/g), ([, hash]) => hash ?? '');

/**
 * Pictures, sounds and videos on their way to the service: kept on this device until they are there, also when the page is closed, and sent by one tab at a time.
 */
export class Uploads {
    /** by hash */
    readonly pending = new Map<string, Upload>();
    /** hashes of what the service does not take */
    readonly refused = new Set<string>();
    /** Resolves when it is known what waits from before. */
    readonly ready: Promise<void>;
    /** whether that is known */
    isReady = false;
    readonly #client: Client;
    readonly #user: string | undefined;
    readonly #files: KeptFiles;
    readonly #channel: BroadcastChannel;
    readonly #changed: () => void;
    readonly #failed: (name: string, error: PagewrightError) => void;
    #tries = 0;
    #timer: ReturnType<typeof setTimeout> | undefined;

    /** @param changed something is pending, further or done @param failed the service does not take a file */
    constructor(client: Client, changed: () => void, failed: (name: string, error: PagewrightError) => void) {
        this.#client = client;
        this.#changed = changed;
        this.#failed = failed;
        this.#user = client.session?.user.id;
        const name = uploadsName(this.#user);
        this.#files = new KeptFiles(name);
        this.#channel = new BroadcastChannel(name);
        this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => void this.#heard(data));
        addEventListener('online', () => this.#send());
        client.subscribe(() => this.#send());
        this.ready = this.#load().then(() => {
            this.isReady = true;
            this.#changed();
            this.#send();
        });
    }

    /** Keeps a file, and sends it as soon as possible. @returns the string that refers to it */
    async add(file: Blob, name: string): Promise<string> {
        const hash = (await this.#client.assets.reference(file)).slice(referenceTo('').length);
        const kept = { hash, file, name };
        this.#note(kept);
        this.refused.delete(hash);
        await this.#files.put(kept).catch((error: unknown) => console.error(error));
        this.#channel.postMessage({ hash, state: 'added' });
        this.#send();
        return referenceTo(hash);
    }

    #note(kept: KeptFile): void {
        if (!this.pending.has(kept.hash)) {
            this.pending.set(kept.hash, { ...kept, part: 0 });
            if (!local.has(kept.hash)) {
                local.set(kept.hash, URL.createObjectURL(kept.file));
            }
        }
    }

    async #load(): Promise<void> {
        (await this.#files.all().catch(() => [])).forEach((kept) => this.#note(kept));
    }

    async #heard(data: unknown): Promise<void> {
        const [hash, state] = [String(fieldOf(data, 'hash')), fieldOf(data, 'state')];
        if (state === 'added') {
            await this.#load();
        }
        else {
            this.#end(hash, state === 'refused');
        }

        this.#changed();
    }

    #end(hash: string, isRefused: boolean): void {
        this.pending.delete(hash);
        if (isRefused) {
            this.refused.add(hash);
        }
    }

    /** Sends what waits, unless another tab is at it. */
    #send(): void {
        clearTimeout(this.#timer);
        if (this.pending.size > 0 && this.#client.session?.user.id === this.#user) {
            const work = (): Promise<void> => this.#work();
            void (globalThis.navigator.locks?.request(uploadsName(this.#user), work) ?? work());
        }
    }

    async #work(): Promise<void> {
        // Another tab may have sent some of it meanwhile; what could not be kept is here alone.
        for (let upload = this.#next(); upload !== undefined; upload = this.#next()) {
            const { hash, file, name } = upload;
            try {
                await this.#client.assets.upload(file, { onProgress: (sent, total) => this.#progress(hash, sent / Math.max(1, total)) });
                this.#tries = 0;
                await this.#finish(hash, 'sent');
            }
            catch (error) {
                if (!isFinal(error)) {
                    this.#timer = setTimeout(() => this.#send(), Math.min(LATE, SOON * 2 ** this.#tries++));
                    return;
                }

                await this.#finish(hash, 'refused');
                this.#failed(name, error);
            }
        }
    }

    #next(): Upload | undefined {
        return this.pending.values().next().value;
    }

    #progress(hash: string, part: number): void {
        const upload = this.pending.get(hash);
        if (upload !== undefined) {
            upload.part = part;
            this.#changed();
        }
    }

    async #finish(hash: string, state: 'sent' | 'refused'): Promise<void> {
        await this.#files.remove(hash).catch(() => undefined);
        this.#end(hash, state === 'refused');
        this.#channel.postMessage({ hash, state });
        this.#changed();
    }
}
