import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { thinHistory } from '../../../src/operations/maintenance/thin';
import { openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { Dice } from '../../support/dice';
import { Mirror, shown } from '../../support/mirror';
import { startTestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** `HISTORY_STEPS=2000 HISTORY_SEED=7 npx lab -m 600000 test/projects/history/property.test.ts` looks longer. */
const STEPS = Number(process.env.HISTORY_STEPS ?? 50);
const SEED = Number(process.env.HISTORY_SEED ?? 20261122);

interface Page {
    id: string;
    elements: { id: string }[];
}

/** One random write to a project. */
async function write(dice: Dice, author: Author, project: MadeProject): Promise<void> {
    const { body: { pages } } = await author.call('GET', `${project.url}/pages`);
    const page = dice.pick<Page>(pages);
    const element = page && dice.pick(page.elements);
    const pageUrl = `${project.url}/pages/${page?.id}`;
    const elementUrl = `${pageUrl}/elements/${element?.id}`;
    const object = (): object => ({ [`k${dice.below(4)}`]: dice.below(5), text: `ñ${dice.below(9)}` });
    const place = (): object => ({ x: dice.below(40), y: dice.below(40) });
    const steps: (() => Promise<unknown>)[] = [
        () => author.call('PATCH', project.url, { title: `T${dice.below(99)}`, ...dice.below(2) === 0 && { description: `#tag${dice.below(9)}` } }),
        () => author.call('PATCH', project.url, { thumbnail: { 320: `https://x.example/${dice.below(9)}` } }),
        () => author.call('POST', `${project.url}/pages`, { ...place(), styles: object() }),
        ...page === undefined ? [] : [
            () => author.call('PATCH', pageUrl, dice.below(2) === 0 ? place() : { styles: object() }),
            () => author.call('POST', `${pageUrl}/elements`, { type: 'text', attributes: object() }),
            () => author.call('POST', `${pageUrl}/elements`, { type: 'text', styles: object() }),
            () => (dice.below(5) === 0 ? author.call('DELETE', pageUrl) : Promise.resolve()),
            () => author.bulk([
                { type: 'pages', method: 'create', data: { projectId: project.id, ...place() } },
                { type: 'elements', method: 'create', data: { pageId: '$0.id', type: 'text' } },
                { type: 'elements', method: 'create', data: { pageId: page.id, type: 'text', attributes: object() } },
                { type: 'elements', method: 'update', data: { id: '$2.id', styles: object() } },
                ...dice.below(2) === 0 ? [{ type: 'elements', method: 'remove', data: { id: '$1.id' } }] : [],
                { type: 'pages', method: 'update', data: { id: page.id, styles: object() } }
            ])
        ],
        ...page === undefined || element === undefined ? [] : [
            () => author.call('PATCH', elementUrl, { attributes: object() }),
            () => author.call('PATCH', elementUrl, { styles: object(), attributes: object() }),
            () => author.call('PATCH', elementUrl, { styles: object() }),
            () => author.call('DELETE', elementUrl),
            () => author.bulk(page.elements.slice(0, 3).map(({ id }) => (dice.below(4) === 0 ? { type: 'elements', method: 'remove', data: { id } }
                : { type: 'elements', method: 'update', data: { id, attributes: object() } })))
        ]
    ];
    await dice.pick(steps)?.();
}

/** What authors see of a project: without what moves by itself. */
const authored = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (name, inner) => (name === 'revision' || name === 'updated_at' ? undefined : inner)));

/** Restores an earlier point, and checks that the project is as it was. */
async function restore(dice: Dice, author: Author, project: MadeProject, then: ReadonlyMap<number, object>): Promise<void> {
    const revision = dice.pick([...then.keys()]);
    const earlier = await shown(author, project.url);
    const { status, body, text } = await author.call('POST', `${project.url}/history/${revision}/restore`, {});
    expect(status, text).to.equal(200);
    const now = await shown(author, project.url);
    expect(authored(now), `restored ${revision}`).to.equal(authored(then.get(Number(revision))));
    expect(body.change === null).to.equal(now.revision === earlier.revision);
    if (body.change !== null) {
        expect(body.change).to.include({ revision: now.revision, from: earlier.revision, kind: 'restore' });
    }
}

/** Takes back a change. If it was the last one, the project is as it was before; if it is undone at once, as it was after. */
async function undo(dice: Dice, author: Author, project: MadeProject, then: ReadonlyMap<number, object>, remember: () => Promise<void>): Promise<void> {
    const revisions = [...then.keys()];
    const last = Math.max(...revisions);
    const revision = dice.chance(0.5) ? last : dice.pick(revisions);
    const { body: { changes } } = await author.call('GET', `${project.url}/history?count=1`);
    const { status, body, text } = await author.call('POST', `${project.url}/history/${revision}/undo`, {});
    expect([200, 409], text).to.include(status);
    if (revision === last && changes[0].kind !== 'create') {
        expect(status, text).to.equal(200);
        expect(authored(await shown(author, project.url)), `undone ${revision}`).to.equal(authored(then.get(changes[0].from)));
    }

    await remember();
    if (status === 200 && body.change !== null && dice.chance(0.5)) {
        const redone = await author.call('POST', `${project.url}/history/${body.change.revision}/undo`, {});
        expect(redone.status, redone.text).to.equal(200);
        expect(authored(await shown(author, project.url)), `redone ${revision}`).to.equal(authored(then.get(last)));
    }

    if (status === 409 && body.code === 'undo_conflict') {
        expect(body.conflicts).to.not.be.empty();
        expect((await shown(author, project.url)).revision).to.equal(last);
    }
}

/** Thins the history out: only points with a label stay, and the last one of the day. */
async function thinOut(dice: Dice, server: TestServer, author: Author, project: MadeProject, then: Map<number, object>): Promise<void> {
    for (const revision of [...then.keys()].filter(() => dice.chance(0.2))) {
        expect((await author.call('PUT', `${project.url}/history/${revision}/label`, { label: `At ${revision}` })).status).to.equal(200);
    }

    await thinHistory(server.database.db, project.id, { historyDays: 0, historyMaxBytes: 2 ** 30 });
    const points = new Set(await checkChain(author, project));
    for (const revision of then.keys()) {
        if (!points.has(revision)) {
            then.delete(revision);
        }
    }
}

/** Checks that each change says how many things it created and removed. */
async function checkCounts(author: Author, project: MadeProject, then: ReadonlyMap<number, object>): Promise<void> {
    const idsAt = (revision: number): { pages: Set<string>; elements: Set<string> } => {
        const pages: Page[] = Reflect.get(then.get(revision) ?? { pages: [] }, 'pages');
        return { pages: new Set(pages.map(({ id }) => id)), elements: new Set(pages.flatMap(({ elements }) => elements.map(({ id }) => id))) };
    };

    for (let next: string | null = ''; next !== null;) {
        const { body }: Answer = await author.call('GET', `${project.url}/history?count=100${next}`);
        for (const { revision, from, counts } of body.changes) {
            const [earlier, later] = [idsAt(from), idsAt(revision)];
            for (const type of ['pages', 'elements'] as const) {
                const [created, removed] = [[...later[type]].filter((id) => !earlier[type].has(id)), [...earlier[type]].filter((id) => !later[type].has(id))];
                expect([counts[type].created, counts[type].removed], `${type} of ${from} to ${revision}`).to.equal([created.length, removed.length]);
            }
        }

        next = body.next && `&after=${body.next}`;
    }
}

/** Restores something from the trash, if nothing is in the way and nobody else does. */
async function untrash(dice: Dice, author: Author): Promise<void> {
    const { body: { trash } } = await author.call('GET', `/users/${author.id}/trash?count=100`);
    const entry = dice.pick<{ id: string }>(trash);
    if (entry !== undefined) {
        const { status, text } = await author.call('POST', `/users/${author.id}/trash/${entry.id}/restore`, {});
        expect([200, 404, 409], text).to.include(status);
    }
}

/** Checks that the changes are a chain from the present back to 0, and returns the points. @param expected of the points, if they are known */
async function checkChain(author: Author, project: MadeProject, expected?: ReadonlySet<number>): Promise<number[]> {
    const { body: { project: { revision: present } } } = await author.call('GET', project.url);
    const points: number[] = [];
    let [revision, next]: [number, string | null] = [present, ''];
    while (next !== null) {
        const { body } = await author.call('GET', `${project.url}/history?count=100${next}`);
        for (const change of body.changes) {
            expect(change.revision).to.equal(revision);
            expect(change.author).to.equal({ id: author.id, username: author.username });
            points.push(revision);
            revision = change.from;
        }

        next = body.next && `&after=${body.next}`;
    }

    expect(revision).to.equal(0);
    if (expected !== undefined) {
        expect(new Set(points)).to.equal(new Set(expected));
    }

    return points;
}

describe('the history of a project that is written to at random', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer();
    });

    after(() => server.stop());

    it('shows every point as the project read right after it, in a chain without gaps, and a mirror equals the project', async () => {
        const dice = new Dice(SEED);
        const author = await openAuthor(server);
        const project = await author.project();
        const mirror = new Mirror(author, project.url);
        const then = new Map<number, object>();
        const remember = async (): Promise<void> => {
            const now = await shown(author, project.url);
            then.set(now.revision, now);
        };

        await remember();
        for (let step = 0; step < STEPS; ++step) {
            if (dice.chance(0.1)) {
                await restore(dice, author, project, then);
            }
            else if (dice.chance(0.15)) {
                await undo(dice, author, project, then, remember);
            }
            else if (dice.chance(0.1)) {
                await untrash(dice, author);
            }
            else if (dice.chance(0.05)) {
                await thinOut(dice, server, author, project, then);
            }
            else {
                await write(dice, author, project);
            }

            await remember();
            if (dice.below(3) === 0) {
                await mirror.update();
                expect(mirror.contents()).to.equal(await shown(author, project.url));
            }
        }

        for (const [revision, expected] of then) {
            const { status, body } = await author.call('GET', `${project.url}/history/${revision}`);
            expect(status).to.equal(200);
            expect({ revision: body.revision, project: body.project, pages: body.pages }, `revision ${revision}`).to.equal(expected);
        }

        await checkChain(author, project, new Set(then.keys()));
        await checkCounts(author, project, then);
        expect(await wrongSizes(server.database.db)).to.equal([]);
        expect(server.faults).to.equal([]);
    });

    it('shows every point as it read, with several clients that write at once', async () => {
        const author = await openAuthor(server);
        const project = await author.project();
        const seen = new Map<number, object>();
        const mirror = new Mirror(author, project.url);
        const clients = [1, 2, 3, 4, 5].map(async (n) => {
            const dice = new Dice(SEED + n);
            for (let step = 0; step < STEPS / 4; ++step) {
                await (dice.chance(0.1) ? untrash(dice, author) : write(dice, author, project));
                if (dice.chance(0.05) && seen.size > 0) {
                    const verb = dice.chance(0.5) ? 'undo' : 'restore';
                    const { status, text } = await author.call('POST', `${project.url}/history/${dice.pick([...seen.keys()])}/${verb}`, {});
                    expect([200, 409], text).to.include(status);
                }
            }
        });
        let writing = true;
        const observer = (async (): Promise<void> => {
            while (writing) {
                // One statement reads all of it.
                const whole = new Mirror(author, project.url);
                await whole.update();
                seen.set(whole.contents().revision, whole.contents());
                await mirror.update();
            }
        })();
        await Promise.all(clients).finally(() => {
            writing = false;
        });
        await observer;
        await mirror.update();
        expect(mirror.contents()).to.equal(await shown(author, project.url));

        const points = await checkChain(author, project);
        expect(seen.size).to.be.above(10);
        for (const [revision, expected] of seen) {
            expect(points).to.include(revision);
            const { body } = await author.call('GET', `${project.url}/history/${revision}`);
            expect({ revision: body.revision, project: body.project, pages: body.pages }, `revision ${revision}`).to.equal(expected);
        }

        expect(server.faults).to.equal([]);
    });
});
