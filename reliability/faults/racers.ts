import { setTimeout as sleep } from 'node:timers/promises';

import { must, openAccount } from './author';
import type { Dice } from '../../test/support/dice';
import { Dice as Numbers } from '../../test/support/dice';
import type { Sender } from './sender';

/** A project that several authors write at once: the revisions in their responses must agree. */
export interface Commons {
    token: string;
    things: CommonThing[];
}

/** A thing that all write, and its acknowledged writes. */
export interface CommonThing {
    name: 'project' | 'page' | 'element';
    path: string;
    revisions: Set<number>;
    highest: number;
    /** writes that may have been done or not */
    lost: number;
    first: number;
}

export async function openCommons(load: Sender): Promise<Commons> {
    const dice = new Numbers(1);
    const { id, token } = await openAccount(load, dice);
    const post = (path: string, body: object) => must(load, 'commons', { method: 'POST', path, body, token, key: load.journal.mark('open-commons') }, dice);
    const thing = (name: CommonThing['name'], path: string): CommonThing => ({ name, path, revisions: new Set(), highest: 1, lost: 0, first: 1 });

    // A write to an element also raises the revisions of its page and project, so the counted pages and projects have no such elements.
    const mark = load.journal.mark('commons');
    const { body: { project, page } } = await post(`/users/${id}/projects`, { title: mark, description: mark });
    load.journal.made('project', mark, 1, true);
    const path = `/users/${id}/projects/${project.id}`;
    const { body: { element } } = await post(`${path}/pages/${page.id}/elements`, { type: 'text' });
    const alone = load.journal.mark('commons');
    const { body: { project: other } } = await post(`/users/${id}/projects`, { title: alone, description: alone });
    load.journal.made('project', alone, 1, true);
    return { token, things: [thing('element', `${path}/pages/${page.id}/elements/${element.id}`), thing('project', `/users/${id}/projects/${other.id}`)] };
}

/** Writes to a thing that others write at the same time. */
export class Racer {
    readonly #load: Sender;
    readonly #commons: Commons;
    readonly #dice: Dice;

    constructor(load: Sender, commons: Commons, dice: Dice) {
        this.#load = load;
        this.#commons = commons;
        this.#dice = dice;
    }

    async step(): Promise<void> {
        const [commons, { journal }] = [this.#commons, this.#load];
        const thing = this.#dice.pick(commons.things);
        if (thing === undefined) {
            return;
        }

        const before = thing.highest;
        const aimed = this.#dice.chance(0.3) ? { revision: before } : {};
        const text = journal.mark('race');
        const body = { ...aimed, ...thing.name === 'project' ? { title: text } : { attributes: { text } } };
        const { answer } = await this.#load.ask('raced edit', { method: 'PATCH', path: thing.path, body, token: commons.token }, this.#dice);
        if (answer === null || answer.status === 503) {
            thing.lost++;
            journal.lost.add('raced edit');
            await sleep(this.#dice.between(10, 60));
            return;
        }

        if (answer.status === 409 && 'revision' in aimed) {
            return;
        }

        if (answer.status !== 200) {
            return journal.find(`a raced edit of ${thing.path} got ${answer.status}`);
        }

        const { revision } = answer.body[thing.name];
        journal.acknowledged.add('raced edit');
        if (thing.revisions.has(revision) || revision <= before) {
            journal.find(`${thing.path}: revision ${revision} was acknowledged after ${before}${thing.revisions.has(revision) ? ', and to another one as well' : ''}`);
        }

        thing.revisions.add(revision);
        thing.highest = Math.max(thing.highest, revision);
    }
}
