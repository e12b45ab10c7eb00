import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../support/authoring';
import type { Author, Made, MadeProject } from '../support/authoring';
import { sessionOf, startClientTest } from '../support/client';
import type { ClientTest } from '../support/client';
import { Dice } from '../support/dice';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** A class, in groups that share a project, and how often each of them saves: every ten seconds for two hours. */
const PUPILS = 30;
const GROUP = 6;
const SAVES = Number(process.env.LESSON_SAVES ?? 720);

/** Milliseconds in which all is merged; more where other work takes the processors: `LESSON_TIME=300000`. */
const MAX_TIME = Number(process.env.LESSON_TIME ?? 30_000);

/** Requests that write, of one user in a minute (`writes` in src/api/protection/rate-limits.ts). */
const MAX_WRITES = 600;

/** Words of the text that a group shares. Each pupil changes one; the last two the same one, so one of these is told of a conflict. */
const WORDS = ['one', 'two', 'three', 'four', 'five', 'six'];

/** What one of them did, as the service has to have it. */
interface Outcome {
    /** texts, by temporary ids of elements and pages that are still there */
    texts: Record<string, string>;
    /** the service's ids */
    ids: Record<string, string>;
    /** errors that were told, by their codes */
    told: string[];
}

describe('thirty pupils without a connection for two hours', { timeout: 600_000 + 2 * MAX_TIME }, () => {
    let on: ClientTest;

    before(async () => {
        on = await startClientTest();
    });

    after(() => on?.stop());

    it('lose nothing, and all is merged within 30 seconds of their return', async () => {
        const pupils: { author: Author; project: MadeProject; shared: Made; index: number }[] = [];
        for (let index = 0; index < PUPILS; ++index) {
            const author = await openAuthor(on.test);
            const place = index % GROUP;
            const first = pupils[index - place];
            if (first === undefined) {
                const project = await author.project();
                pupils.push({ author, project, index, shared: await author.element(project.page, { attributes: { text: WORDS.join(' and ') } }) });
                continue;
            }

            expect((await first.author.call('PUT', `${first.project.url}/members/${author.username}`, { role: 'editor' })).status).to.equal(201);
            pupils.push({ ...first, author, index });
        }

        on.intercept = (request) => (request.includes('/bulk') ? 'break' : undefined);
        let left = PUPILS;
        let allHaveEdited = (): void => undefined;
        const edited = new Promise<void>((resolve) => {
            allHaveEdited = resolve;
        });
        const done = pupils.map(({ author, project, shared, index }) => on.run('Node', {
            session: sessionOf(author), project: project.id, page: project.page.id, shared: shared.thing, place: index % GROUP, index, words: WORDS, saves: SAVES, dice: new Dice(20261126 + index),
            edited: () => --left === 0 && allHaveEdited()
        }, async ({ pagewright, url, given: { session, project: id, page, shared: text, place, index: number, words, saves, dice, edited: tell } }): Promise<Outcome> => {
            const client = pagewright.createClient(url);
            client.signInWith(session);
            const ids: Record<string, string> = {};
            const told: string[] = [];
            const queue = client.queue({ onSaved: (saved) => saved.ids.forEach((made, temporary) => void (ids[temporary] = made)) });
            interface Thing {
                id: string;
                revision: number;
                page_id: string;
                type: string;
                attributes: { text: string };
                styles: Record<string, number>;
            }
            const things: Thing[] = [];
            const pages = [page];
            const element = { ...text, attributes: { text: words.map((word, at) => (at === Math.min(place, words.length - 2) ? `W${number}` : word)).join(' and ') } };
            await queue.add([{ type: 'elements', method: 'update', base: text, data: { attributes: element.attributes } }]);
            for (let n = 1; n < saves; ++n) {
                const chosen = things[dice.below(Math.max(1, things.length))];
                const what = dice.below(100);
                if (what < 3) {
                    const made = `new-page-${number}-${n}`;
                    pages.push(made);
                    await queue.add([{ type: 'pages', method: 'create', id: made, data: { projectId: id, x: n, y: 1 + number } }]);
                }
                else if (chosen === undefined || what < 15) {
                    const made: Thing = { id: `new-${number}-${n}`, revision: 0, page_id: pages[dice.below(pages.length)] ?? page, type: 'text', attributes: { text: `${number} wrote ${n}` }, styles: { left: n % 300 } };
                    things.push(made);
                    await queue.add([{ type: 'elements', method: 'create', id: made.id, data: { pageId: made.page_id, type: 'text', attributes: made.attributes, styles: made.styles } }]);
                }
                else if (what < 18) {
                    things.splice(things.indexOf(chosen), 1);
                    await queue.add([{ type: 'elements', method: 'remove', base: chosen }]);
                }
                else {
                    const data = what < 60 ? { attributes: { text: `${chosen.attributes.text.slice(0, 200)} ${n}` } } : { styles: { ...chosen.styles, left: n % 300, top: what } };
                    await queue.add([{ type: 'elements', method: 'update', base: { ...chosen }, data }]);
                    Object.assign(chosen, data);
                }
            }

            tell();
            await new Promise<void>((resolve) => {
                const look = (): void => {
                    const { state, failure } = queue.status;
                    if (failure !== null) {
                        told.push(failure.error.code);
                        void queue.resolve(null, failure);
                    }
                    else if (state === 'idle') {
                        resolve();
                    }
                };

                queue.subscribe(look);
                look();
            });
            queue.close();
            return { ids, told, texts: Object.fromEntries(things.map((thing) => [thing.id, JSON.stringify([thing.attributes.text, thing.styles])])) };
        }));
        await edited;
        // Long enough that each of them waits as long as it ever does between two tries.
        await new Promise((resolve) => {
            setTimeout(resolve, 16_000);
        });
        expect(on.requests.filter((request) => request.includes('/bulk'))).to.equal([]);
        on.intercept = undefined;
        const start = performance.now();
        const outcomes = await Promise.all(done);
        const took = performance.now() - start;
        const writes = on.requests.filter((request) => request.includes('/bulk')).length;
        console.log(`      ${PUPILS * SAVES} saves in ${writes} requests, merged ${(took / 1000).toFixed(1)} s after their return`);
        expect(took).to.be.below(MAX_TIME);
        expect(writes / PUPILS).to.be.below(MAX_WRITES / 2);

        for (const [index, { ids, told, texts }] of outcomes.entries()) {
            const pupil = pupils[index];
            const { body: { pages } } = await on.test.call('GET', `${pupil?.project.url}/pages`);
            const stored: { id: string; attributes: { text: string }; styles: object }[] = pages.flatMap(({ elements }: { elements: object[] }) => elements);
            const mine = stored.filter(({ attributes: { text } }) => text.startsWith(`${index} wrote`));
            expect(Object.fromEntries(mine.map(({ id, attributes: { text }, styles }) => [id, JSON.stringify([text, styles])]))).to.equal(Object.fromEntries(Object.entries(texts).map(([temporary, text]) => [ids[temporary], text])));
            const { attributes: { text = '' } = {} } = stored.find(({ id }) => id === pupil?.shared.id) ?? {};
            expect(told, `the word of ${index} in: ${text}`).to.equal(text.split(' ').includes(`W${index}`) ? [] : ['revision_conflict']);
        }

        expect(outcomes.flatMap(({ told }) => told).length).to.equal(PUPILS / GROUP);
        expect(on.test.errors()).to.equal([]);
    });
});
