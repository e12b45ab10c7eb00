import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { atOnce, count, openAuthor } from '../support/authoring';
import type { Author, Made } from '../support/authoring';
import { startTestServer } from '../support/server';
import type { Answer, TestServer } from '../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Trials with two writers each, a multiple of ten; continuous integration runs more. */
const RACES = Number(process.env.RACES ?? 40);

describe('revisions', () => {
    let server: TestServer;
    let ada: Author;

    before(async () => {
        server = await startTestServer({ pool: 16 });
        ada = await openAuthor(server);
    });

    after(() => server.stop());

    const revision = async (url: string): Promise<number> => {
        const { body } = await server.call('GET', url);
        return (body.element ?? body.page ?? body.project).revision;
    };

    it('grow with changes inside, and with nothing else', async () => {
        const other = await ada.project();
        const elsewhere = await ada.element(other.page);
        const project = await ada.project();
        const page = await ada.page(project, { x: 1, y: 0 });
        const element = await ada.element(page);
        const steps: [string, string, object, number[]][] = [
            // the action, and the resulting revisions of the project, its first page, the second page and its element
            ['POST', `${project.page.url}/elements`, { type: 'x' }, [4, 2, 2, 1]],
            ['PATCH', element.url, { styles: { a: 1 } }, [5, 2, 3, 2]],
            ['PATCH', page.url, { x: 2 }, [6, 2, 4, 2]],
            ['PATCH', project.url, { title: 'x' }, [7, 2, 4, 2]],
            ['POST', `${page.url}/elements`, { type: 'x' }, [8, 2, 5, 2]],
            ['DELETE', project.page.url, {}, [9, 0, 5, 2]],
            ['DELETE', element.url, {}, [10, 0, 6, 0]]
        ];
        for (const [method, url, body, [ofProject, ofFirst, ofSecond, ofElement]] of steps) {
            expect((await ada.call(method, url, body)).status).to.be.below(300);
            const seen = await Promise.all([project.url, project.page.url, page.url, element.url].map(async (at) => {
                return (await server.call('GET', at)).status === 200 ? revision(at) : 0;
            }));
            expect(seen, `${method} ${url}`).to.equal([ofProject, ofFirst, ofSecond, ofElement]);
        }

        expect(await Promise.all([other.url, other.page.url, elsewhere.url].map(revision))).to.equal([2, 2, 1]);
    });

    it('stay the same if nothing is written', async () => {
        const project = await ada.project();
        const element = await ada.element(project.page);
        await ada.call('PATCH', element.url, { styles: {}, revision: 9 });
        await ada.call('POST', `${project.page.url}/elements`, { type: '' });
        await ada.call('POST', `${project.url}/pages`, { x: 0, y: 0 });
        expect([await revision(project.url), await revision(project.page.url), await revision(element.url)]).to.equal([2, 2, 1]);
    });

    it('count each of many concurrent writes, and lose none', async () => {
        const project = await ada.project();
        const pages = [project.page, await ada.page(project, { x: 1, y: 0 })];
        const elements = await Promise.all(pages.map((page) => ada.element(page)));
        const writes: (() => Promise<Answer>)[] = Array.from({ length: 60 }, (_, n) => [
            () => ada.call('PATCH', elements[n % 2]?.url ?? '', { styles: { n } }),
            () => ada.call('POST', `${pages[n % 2]?.url}/elements`, { type: 'x' }),
            () => ada.call('PATCH', pages[n % 2]?.url ?? '', { styles: { n } }),
            () => ada.call('PATCH', project.url, { title: `${n}` }),
            () => ada.call('POST', `${project.url}/pages`, { x: n, y: 1 })
        ]).flat();
        await atOnce(writes.length, 32, async (n) => {
            expect([200, 201]).to.include((await writes[n]?.())?.status);
        });
        // 2 from before, then 300
        expect(await revision(project.url)).to.equal(304);
        expect(await Promise.all(pages.map(({ url }) => revision(url)))).to.equal([92, 92]);
        expect(await Promise.all(elements.map(({ url }) => revision(url)))).to.equal([31, 31]);
        expect(await count(server, 'from pages where project_id = ? and deleted_at is null', [project.id])).to.equal(62);
        const { rows } = await server.database.db.raw('select page_count from projects where id = ?', [project.id]);
        expect(rows[0].page_count).to.equal(62);
    });

    const rivals: { of: string; make: () => Promise<Made>; change: (n: number) => object }[] = [
        { of: 'a project', make: () => ada.project(), change: (n) => ({ title: `writer ${n}` }) },
        { of: 'a page', make: async () => (await ada.project()).page, change: (n) => ({ x: n + 1 }) },
        { of: 'an element', make: async () => ada.element((await ada.project()).page), change: (n) => ({ attributes: { n } }) }
    ];
    for (const { of, make, change } of rivals) {
        it(`of ${of}: of two writers with one revision exactly one wins, ${RACES} times over`, { timeout: 600_000 + RACES * 60 }, async () => {
            // Trials on independent things run in parallel, each with the current revision of its thing.
            const lanes = await Promise.all(Array.from({ length: 10 }, make));
            await atOnce(lanes.length, lanes.length, async (lane) => {
                const thing = lanes[lane];
                let at: number = await revision(thing?.url ?? '');
                for (let trial = 0; trial < RACES / lanes.length; ++trial) {
                    // They alternate between the revision in the body and the entity tag.
                    const answers = await Promise.all([0, 1].map((writer) => {
                        const byTag = of !== 'a project' && (trial + writer) % 3 === 0;
                        return ada.call('PATCH', thing?.url ?? '', { ...change(writer), ...byTag ? {} : { revision: at } }, { ...byTag && { headers: { 'if-match': `"${at}"` } } });
                    }));
                    const won = answers.filter(({ status }) => status === 200);
                    const lost = answers.filter(({ status }) => status === 409 || status === 412);
                    expect([won.length, lost.length], answers.map(({ text }) => text).join('\n')).to.equal([1, 1]);
                    const [winner] = Object.values(won[0]?.body).slice(1);
                    // The loser gets what the winner wrote.
                    expect(lost[0]?.body.current).to.equal(winner);
                    expect(winner).to.include({ ...change(answers.findIndex(({ status }) => status === 200)), revision: ++at });
                }

                expect(await revision(thing?.url ?? '')).to.equal(at);
            });
        });
    }

    it('let two editors of different elements of a page both succeed', async () => {
        const { page } = await ada.project();
        const elements = await Promise.all([ada.element(page), ada.element(page)]);
        await atOnce(200, 2, async (n) => {
            const answer = await ada.call('PATCH', elements[n % 2]?.url ?? '', { attributes: { n } });
            expect(answer.status).to.equal(200);
        });
        await atOnce(100, 1, async () => {
            const current = await Promise.all(elements.map(({ url }) => revision(url)));
            const answers = await Promise.all(elements.map(({ url }, n) => ada.call('PATCH', url, { styles: { n }, revision: current[n] })));
            expect(answers.map(({ status }) => status)).to.equal([200, 200]);
        });
    });

    it('of a page are never returned with other elements than their own', async () => {
        const { page } = await ada.project();
        let writing = true;
        // A page's revision is 1, then one more with each element and each change of its own.
        let changes = 0;
        const check = ({ status, body }: Answer): void => {
            expect(status).to.equal(200);
            const { revision: at, elements, styles } = body.page;
            expect(at).to.equal(1 + elements.length + (styles.changes ?? 0));
        };

        const elements = atOnce(150, 4, async () => {
            await ada.element(page);
        }).finally(() => {
            writing = false;
        });
        const reads = async (): Promise<void> => {
            while (writing) {
                check(await server.call('GET', page.url));
            }
        };

        const patches = async (): Promise<void> => {
            while (writing) {
                check(await ada.call('PATCH', page.url, { styles: { changes: ++changes } }));
            }
        };

        await Promise.all([elements, reads(), patches()]);
        check(await server.call('GET', page.url));
    });

    it('of a project\'s pages are returned with the matching pages', async () => {
        const project = await ada.project();
        let writing = true;
        const writes = atOnce(100, 4, async (n) => {
            await ada.page(project, { x: n, y: 1 });
        }).finally(() => {
            writing = false;
        });
        while (writing) {
            const { body, headers } = await server.call('GET', `${project.url}/pages`);
            expect(headers.etag).to.equal(`"${body.pages.length}"`);
        }

        await writes;
    });

    it('keep places and limits correct with many writers', async () => {
        const project = await ada.project();
        const answers = await Promise.all(Array.from({ length: 20 }, () => ada.call('POST', `${project.url}/pages`, { x: 5, y: 5 })));
        expect(answers.map(({ status }) => status).sort()).to.equal([201, ...Array.from({ length: 19 }, () => 409)]);

        await server.database.db.raw('update projects set page_count = 998 where id = ?', [project.id]);
        const last = await Promise.all(Array.from({ length: 10 }, (_, n) => ada.call('POST', `${project.url}/pages`, { x: n, y: 6 })));
        expect(last.filter(({ status }) => status === 201)).to.have.length(2);
        expect(last.filter(({ body }) => body.code === 'page_limit')).to.have.length(8);
        await server.database.db.raw('update pages set element_count = 998 where id = ?', [project.page.id]);
        const elements = await Promise.all(Array.from({ length: 10 }, () => ada.call('POST', `${project.page.url}/elements`, { type: 'x' })));
        expect(elements.filter(({ status }) => status === 201)).to.have.length(2);
        expect(elements.filter(({ body }) => body.code === 'element_limit')).to.have.length(8);
    });

    it('log no error', () => {
        expect(server.faults).to.equal([]);
    });
});
