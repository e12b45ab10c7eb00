import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { Dice } from '../../support/dice';
import { startTestServer } from '../../support/server';
import { wrongSizes } from '../../support/sizes';
import type { TestServer } from '../../support/server';
import { alive, expectedOf, stored } from './model';
import type { ProjectState, Side } from './model';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** `PULL_ROUNDS=500 PULL_SEED=7 npx lab -m 600000 test/projects/lineage/property.test.ts` looks longer. */
const ROUNDS = Number(process.env.PULL_ROUNDS ?? 40);
const SEED = Number(process.env.PULL_SEED ?? 20261122);

interface Place {
    url: string;
    id: string;
}

/** One random write to a project, which may fail. */
async function write(dice: Dice, author: Author, { url, id }: Place): Promise<void> {
    const { body: { pages } } = await author.call('GET', `${url}/pages`);
    const page = dice.pick<{ id: string; styles: object; elements: { id: string; attributes: object; styles: object }[] }>(pages);
    const element = page && dice.pick(page.elements);
    const pageUrl = `${url}/pages/${page?.id}`;
    const elementUrl = `${pageUrl}/elements/${element?.id}`;
    const key = (): object => ({ [`k${dice.below(3)}`]: dice.chance(0.3) ? { in: dice.below(2) } : dice.below(4) });
    const changed = (object: object | undefined): object => Object.fromEntries(Object.entries({ ...object, ...key() }).filter(() => dice.chance(0.85)));
    const place = (): object => ({ x: dice.below(4), y: dice.below(2) });
    const link = (): object => ({ targetPageId: dice.pick<{ id: string }>(pages)?.id ?? '1', ...dice.chance(0.5) && { targetProjectId: id } });
    const made = (): Promise<unknown> => author.call('POST', `${pageUrl}/elements`, dice.chance(0.4) ? { type: 'link', attributes: link() } : { type: 'text', attributes: key(), styles: key() });
    const restored = async (): Promise<void> => {
        const { body: { trash } } = await author.call('GET', '/users/me/trash?count=100');
        const entry = dice.pick<{ id: string; project: { id: string } }>(trash.filter((one: { project: { id: string } }) => one.project.id === id));
        await author.call('POST', `/users/me/trash/${entry?.id ?? 1}/restore`, {});
    };

    const step = dice.weighted({ title: 1, thumbnail: 1, page: 3, move: 3, styles: 3, element: 4, attributes: 6, elementStyles: 2, link: 1, removeElement: 2, removePage: 1, restore: 2 });
    switch (step) {
        case 'title':
            await author.call('PATCH', url, { title: `T${dice.below(4)}` });
            break;
        case 'thumbnail':
            await author.call('PATCH', url, { thumbnail: { 320: `https://x.example/${dice.below(3)}` } });
            break;
        case 'page':
            await author.call('POST', `${url}/pages`, { ...place(), styles: key() });
            break;
        case 'move':
            await author.call('PATCH', pageUrl, place());
            break;
        case 'styles':
            await author.call('PATCH', pageUrl, { styles: changed(page?.styles) });
            break;
        case 'element':
            await made();
            break;
        case 'attributes':
            await author.call('PATCH', elementUrl, { attributes: changed(element?.attributes) });
            break;
        case 'elementStyles':
            await author.call('PATCH', elementUrl, { styles: changed(element?.styles) });
            break;
        case 'link':
            await author.call('PATCH', elementUrl, { attributes: { ...element?.attributes, ...link() } });
            break;
        case 'removeElement':
            await author.call('DELETE', elementUrl);
            break;
        case 'removePage':
            await author.call('DELETE', pageUrl);
            break;
        case 'restore':
            await restored();
    }
}

describe('random pulls', () => {
    let server: TestServer;

    before(async () => {
        server = await startTestServer();
    });

    after(() => server.stop());

    it(`are what a merge of plain objects is (seed ${SEED}, ${ROUNDS} rounds)`, async () => {
        const all = new Dice(SEED);
        const seen = { conflicts: 0, clean: 0, nothing: 0, moved: 0 };
        let [ada, eve] = [await openAuthor(server), await openAuthor(server)];
        let source: Place | undefined;
        let remix: Place | undefined;
        let base: ProjectState | undefined;
        for (let round = 0; round < ROUNDS; ++round) {
            const seed = all.below(2 ** 31);
            const dice = new Dice(seed);
            if (source === undefined || remix === undefined || dice.chance(0.2)) {
                [ada, eve] = [await openAuthor(server), await openAuthor(server)];
                source = await ada.project();
                for (let step = 0; step < 25; ++step) {
                    await write(dice, ada, source);
                }

                remix = await eve.remix({ ...source, thing: undefined });
                base = undefined;
            }

            base ??= alive(await stored(server, source.id, false));
            for (let step = dice.below(12); step > 0; --step) {
                await write(dice, ada, source);
            }

            for (let step = dice.below(8); step > 0; --step) {
                await write(dice, eve, remix);
            }

            const what = `round ${round}, seed ${seed}`;
            const theirs = alive(await stored(server, source.id, false));
            const ours = await stored(server, remix.id, true);
            const { body: upstream, status, text } = await server.call('GET', `${remix.url}/upstream`);
            expect(status, text + server.faults.join('')).to.equal(200);
            const told = upstream.changes.map(({ type, source_id: id, method, fields, conflict }: Record<string, unknown>) => {
                return `${String(type)} ${type === 'project' ? '' : String(id)} ${String(method)} ${[...fields as string[]].sort().join(' ')}${conflict === true ? ' !' : ''}`;
            });
            const plain = expectedOf(base, theirs, ours, undefined);
            if (JSON.stringify(told.sort()) !== JSON.stringify(plain.told)) {
                const show = (state: ProjectState): string => JSON.stringify([...state.pages].map(([name, page]) => [name, page, [...page.elements]]), null, 0);
                console.log(show(base), '\n', show(theirs), '\n', show(ours), [...ours.removed]);
            }

            expect(told.sort(), what).to.equal(plain.told);

            const isConflict = plain.told.some((one) => one.endsWith('!'));
            const first = await eve.call('POST', `${remix.url}/upstream/pull`, {});
            expect([first.status, first.body.code], `${what}: ${first.text}`).to.equal(isConflict ? [409, 'merge_conflict'] : [200, undefined]);
            let side: Side;
            let pulled = first;
            if (isConflict) {
                expect(await stored(server, remix.id, true), what).to.equal(ours);
                side = dice.chance(0.5) ? 'ours' : 'theirs';
                pulled = await eve.call('POST', `${remix.url}/upstream/pull`, { take: side });
            }

            expect(pulled.status, `${what}: ${pulled.text}`).to.equal(200);
            seen[isConflict ? 'conflicts' : plain.told.length === 0 ? 'nothing' : 'clean'] += 1;
            expect(pulled.body.change?.kind ?? null, what).to.equal(plain.told.length === 0 ? null : 'pull');
            const check = async (): Promise<void> => {
                const { state, moved } = expectedOf(base ?? theirs, theirs, ours, side);
                const now = alive(await stored(server, remix?.id ?? '', true));
                const places = [...now.pages.values()].map(({ x, y }) => `${x} ${y}`);
                expect(new Set(places).size, what).to.equal(places.length);
                for (const name of moved) {
                    const [wanted, is] = [state.pages.get(name), now.pages.get(name)];
                    for (let x = Number(wanted?.x); x < Number(is?.x); ++x) {
                        expect(places, what).to.include(`${x} ${wanted?.y}`);
                    }

                    expect(is?.y).to.equal(wanted?.y);
                    Object.assign(Object(wanted), { x: is?.x });
                    seen.moved += 1;
                }

                expect(now.title, what).to.equal(state.title);
                expect(now.thumbnail, what).to.equal(state.thumbnail);
                expect([...now.pages.keys()].sort(), what).to.equal([...state.pages.keys()].sort());
                for (const [name, page] of now.pages) {
                    const { elements, ...fields } = { ...page };
                    const { elements: wanted, ...others } = { ...Object(state.pages.get(name)) };
                    expect(fields, `${what}, page ${name}`).to.equal(others);
                    expect(Object.fromEntries(elements), `${what}, page ${name}`).to.equal(Object.fromEntries(wanted));
                }

                expect(await wrongSizes(server.database.db), what).to.equal([]);
            };

            await check();

            if (pulled.body.change !== null) {
                const { revision } = pulled.body.change;
                expect((await eve.call('POST', `${remix.url}/upstream/pull`, {})).body.change, what).to.be.null();
                if (dice.chance(0.5)) {
                    const undone = await eve.call('POST', `${remix.url}/history/${revision}/undo`, {});
                    expect(undone.status, `${what}: ${undone.text}`).to.equal(200);
                    expect(alive(await stored(server, remix.id, true)), what).to.equal(alive(ours));
                    if (dice.chance(0.5)) {
                        expect((await eve.call('POST', `${remix.url}/upstream/pull`, side === undefined ? {} : { take: side })).status, what).to.equal(200);
                        await check();
                        base = theirs;
                    }
                }
                else {
                    base = theirs;
                }
            }
        }

        expect(server.faults).to.equal([]);
        for (const count of Object.values(seen)) {
            expect(count, JSON.stringify(seen)).to.be.above(0);
        }
    });
});
