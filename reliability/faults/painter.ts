import { createHash, randomFillSync } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { must, openAccount } from './author';
import type { Account } from './author';
import type { Dice } from '../../test/support/dice';
import { noise, wav } from '../../test/support/files';
import type { Client, Load } from './load';
import type { Told } from './sender';
import type { Call } from './wire';
import { fileOf, zipBytes } from '../../test/support/zips';

/** How often each action is chosen. */
const weights = { upload: 8, 'broken off': 2, place: 8, remix: 4, import: 2, thumbnail: 1, 'deleted element': 2, 'deleted project': 2, scaled: 1 };

/** Projects of a painter, besides the one with what was uploaded last. */
const MOST = 4;

/** Uploads that are remembered, so that they can be placed later. */
const MAX_AT_HAND = 20;

const HEAD_OF_WAV = 44;

/** A file that a painter has sent. */
export interface Sent {
    hash: string;
    bytes: Buffer;
    type: string;
}

/** What painters have been told is stored. */
export class Ledger {
    /** hashes that nothing refers to and that must stay, as they were sent less than 7 days ago: nobody makes them older */
    readonly kept = new Set<string>();
    /** those of them that were acknowledged, with who sent them */
    readonly acknowledged = new Map<string, string>();
    /** paths of elements that were acknowledged, with the hash that each refers to */
    readonly placed = new Map<string, string>();
    /** paths of remixes that were acknowledged, with the hashes that they refer to at least */
    readonly copied = new Map<string, readonly string[]>();
    /** projects that anybody may remix */
    readonly shown: Canvas[] = [];
}

/** A project with pictures. */
interface Canvas {
    path: string;
    page: string;
    /** hashes by the paths of the elements that refer to them */
    elements: Map<string, string>;
}

/** An author who sends pictures and sounds, places them, and remixes what others have made of theirs. */
export class Painter implements Client {
    readonly #load: Load;
    readonly #dice: Dice;
    readonly #ledger: Ledger;
    readonly #account: Account;
    readonly #canvases: Canvas[] = [];
    readonly #atHand: Sent[] = [];
    /** never changed, so that each remix must have all of it */
    #source: Canvas | undefined;

    private constructor(load: Load, dice: Dice, ledger: Ledger, account: Account) {
        this.#load = load;
        this.#dice = dice;
        this.#ledger = ledger;
        this.#account = account;
    }

    static async open(load: Load, dice: Dice, ledger: Ledger): Promise<Painter> {
        const painter = new Painter(load, dice, ledger, await openAccount(load, dice));
        const source = await painter.#create();
        for (let n = 0; n < 5; ++n) {
            await painter.#place(source, await painter.#upload());
        }

        painter.#source = source;
        ledger.shown.push(source);
        painter.#canvases.splice(0);
        return painter;
    }

    async step(): Promise<void> {
        const kind = this.#dice.weighted(weights);
        const canvas = this.#dice.pick(this.#canvases) ?? await this.#create();
        const sent = this.#dice.pick(this.#atHand);
        if (kind === 'upload' || sent === undefined) {
            return void await this.#upload();
        }

        switch (kind) {
            case 'broken off':
                return await this.#breakOff();
            case 'place':
                return await this.#place(canvas, sent);
            case 'remix':
                return await this.#remix();
            case 'import':
                return await this.#import();
            case 'thumbnail':
                return await this.#thumbnail(canvas);
            case 'scaled':
                return void await this.#load.read(`/assets/${sent.hash}?width=64`, this.#dice);
            case 'deleted element':
                return await this.#deleteElement(canvas);
            case 'deleted project':
                return await this.#deleteProject(canvas);
        }
    }

    async #write(kind: string, call: Omit<Call, 'token'>): Promise<Told> {
        const told = await this.#load.write(kind, { ...call, token: this.#account.token }, this.#dice);
        if (told === null) {
            throw new Error(`${kind} cannot be sent again`);
        }

        return told;
    }

    #unexpected(kind: string, { status, body }: Told): void {
        this.#load.journal.find(`${kind} returned ${status}: ${JSON.stringify(body).slice(0, 300)}`);
    }

    async #make(): Promise<Sent> {
        const isPicture = this.#dice.chance(0.3);
        const bytes = isPicture ? await noise(this.#dice.between(3000, 200_000)) : wav(this.#dice.between(1000, this.#dice.chance(0.1) ? 4_000_000 : 300_000));
        if (!isPicture) {
            randomFillSync(bytes, HEAD_OF_WAV);
        }

        return { hash: createHash('sha256').update(bytes).digest('hex'), bytes, type: isPicture ? 'image/png' : 'audio/wav' };
    }

    async #upload(again?: Sent): Promise<Sent> {
        const sent = again ?? await this.#make();
        const { hash, bytes, type } = sent;
        const isKept = again === undefined && this.#dice.chance(0.2);
        if (isKept) {
            this.#ledger.kept.add(hash);
        }

        const told = await this.#write('upload', { method: 'PUT', path: `/users/${this.#account.id}/assets/${hash}`, body: bytes, type });
        if (told.status > 201) {
            this.#unexpected('an upload', told);
        }
        else if (isKept) {
            this.#ledger.acknowledged.set(hash, this.#account.id);
        }
        else if (again === undefined) {
            this.#atHand.push(sent);
            this.#atHand.splice(0, this.#atHand.length - MAX_AT_HAND);
        }

        return sent;
    }

    /** Goes away in the middle of an upload. */
    async #breakOff(): Promise<void> {
        const { hash, bytes, type } = await this.#make();
        const url = this.#dice.pick(this.#load.targets)?.url ?? null;
        if (url !== null) {
            const sent = request(new URL(`/users/${this.#account.id}/assets/${hash}`, url), {
                method: 'PUT', headers: { 'authorization': `token ${this.#account.token}`, 'content-type': type, 'content-length': bytes.length }
            });
            sent.on('error', () => undefined);
            sent.write(bytes.subarray(0, this.#dice.below(bytes.length)));
            await sleep(this.#dice.between(0, 60));
            sent.destroy();
        }
    }

    async #create(): Promise<Canvas> {
        const { body: { project, page } } = await must(this.#load, 'project', {
            method: 'POST', path: `/users/${this.#account.id}/projects`, body: { title: 'Pictures' }, token: this.#account.token, key: this.#load.journal.mark('open-canvas')
        }, this.#dice);
        const canvas: Canvas = { path: `/users/${this.#account.id}/projects/${project.id}`, page: page.id, elements: new Map() };
        this.#canvases.push(canvas);
        return canvas;
    }

    /** Refers to a file; if it was removed meanwhile, as nothing did, sends it again, as clients do. */
    async #place(canvas: Canvas, sent: Sent): Promise<void> {
        for (;;) {
            const told = await this.#write('element', {
                method: 'POST', path: `${canvas.path}/pages/${canvas.page}/elements`, body: { type: 'image', attributes: { src: `asset:${sent.hash}` } }, key: this.#load.journal.mark('key-of-element')
            });
            if (told.status === 201) {
                const path = `${canvas.path}/pages/${canvas.page}/elements/${told.body.element.id}`;
                canvas.elements.set(path, sent.hash);
                this.#ledger.placed.set(path, sent.hash);
                return;
            }

            if (told.body.code !== 'asset_missing') {
                this.#unexpected('an element with a picture', told);
                return;
            }

            await this.#upload(sent);
        }
    }

    async #remix(): Promise<void> {
        const source = this.#dice.pick(this.#ledger.shown) ?? this.#source;
        const told = await this.#write('remix', { method: 'POST', path: `${source?.path}/remixes`, key: this.#load.journal.mark('key-of-remix') });
        if (told.status !== 201) {
            this.#unexpected('a remix', told);
            return;
        }

        this.#ledger.copied.set(`/users/${this.#account.id}/projects/${told.body.project.id}`, [...source?.elements.values() ?? []]);
    }

    async #import(): Promise<void> {
        const { hash, bytes, type } = await this.#make();
        const zip = zipBytes([
            { name: 'project.json', content: JSON.stringify(fileOf({ title: 'Imported' }, [{ x: 0, y: 0, elements: [{ type: 'image', attributes: { src: `asset:${hash}` } }] }])) },
            { name: `assets/${hash}.${type.split('/')[1]}`, content: bytes, stored: true }
        ]);
        const told = await this.#write('import', { method: 'POST', path: `/users/${this.#account.id}/imports`, body: zip, type: 'application/zip', key: this.#load.journal.mark('key-of-import') });
        if (told.status !== 201) {
            this.#unexpected('an import', told);
            return;
        }

        this.#ledger.copied.set(`/users/${this.#account.id}/projects/${told.body.project.id}`, [hash]);
    }

    async #thumbnail({ path }: Canvas): Promise<void> {
        const told = await this.#write('thumbnail', { method: 'PUT', path: `${path}/thumbnail`, body: await noise(5000), type: 'image/png' });
        if (told.status !== 200) {
            this.#unexpected('a thumbnail', told);
        }
    }

    async #deleteElement({ elements }: Canvas): Promise<void> {
        const path = this.#dice.pick([...elements.keys()]);
        if (path !== undefined) {
            elements.delete(path);
            this.#ledger.placed.delete(path);
            await this.#delete('deleted element', path);
        }
    }

    async #deleteProject(canvas: Canvas): Promise<void> {
        if (this.#canvases.length > MOST) {
            this.#canvases.splice(this.#canvases.indexOf(canvas), 1);
            [...canvas.elements.keys()].forEach((path) => this.#ledger.placed.delete(path));
            await this.#delete('deleted project', canvas.path);
        }
        else {
            await this.#create();
        }
    }

    async #delete(kind: string, path: string): Promise<void> {
        const told = await this.#write(kind, { method: 'DELETE', path });
        // The second of two, if the answer to the first was lost.
        if (told.status !== 200 && told.status !== 204 && !(told.again && told.status === 404)) {
            this.#unexpected(`a ${kind}`, told);
        }
    }
}
