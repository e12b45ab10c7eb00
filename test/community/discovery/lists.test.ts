import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { idBeside } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('lists of projects', () => {
    let server: TestServer;
    let ada: Author;
    let moderator: Author;
    /** the projects at the start of the tests, oldest first */
    let ids: string[];

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada');
        moderator = await openAuthor(server, 'mod', { moderator: true });
        const source = await ada.project({ description: '#all' });
        const { db } = server.database;
        // Five at a time have the same time of creation.
        const { rows } = await db.raw(`
            insert into projects (id, user_id, remixed_from, version, title, tags, featured, created_at)
            select ${idBeside(source.id)}, ?, ?, '1', 'Project ' || n, '{all}', true, timestamptz '2020-01-01' + make_interval(days => n / 5) from generate_series(1, 123) n returning id`, [ada.id, source.id]);
        ids = rows.map(({ id }: { id: string }) => id);
        await ada.call('DELETE', `/users/${ada.id}/projects/${ids[60]}`);
        ids.splice(60, 1);
        await moderator.call('PATCH', `${source.url}/feature`, { featured: true });
        paths.push(`/users/${ada.id}/projects`, `${source.url}/remixes`);
    });

    after(() => server.stop());

    const paths = ['/projects', '/projects/tagged/all', '/projects/tagged/ALL', '/discover', '/discover/en', '/discover/fr'];
    const idsOf = ({ body }: Answer): string[] => body.projects.map(({ id }: { id: string }) => id);
    /** The list newest first, without the source if it is listed. */
    const newestFirst = (): string[] => [...ids].sort((a, b) => Number(b) - Number(a));

    /** Reads a list by its cursors to the end. */
    const readAll = async (path: string, size: number): Promise<string[]> => {
        const seen: string[] = [];
        let further = '';
        for (;;) {
            const answer = await server.call('GET', `${path}?count=${size}${further}`);
            expect(answer.status, answer.text).to.equal(200);
            seen.push(...idsOf(answer));
            const { next } = answer.body;
            expect(answer.headers.link).to.equal(next === null ? undefined : `<${path}?count=${size}&after=${next}>; rel="next"`);
            if (next === null) {
                return seen;
            }

            expect(idsOf(answer)).to.have.length(size);
            further = `&after=${next}`;
        }
    };

    it('come newest first, by creation and then by id, through cursors of any size', async () => {
        for (const path of paths) {
            for (const size of [100, 7, 5, 61]) {
                const seen = await readAll(path, size);
                expect(seen.filter((id) => ids.includes(id)), `${path} by ${size}`).to.equal(newestFirst());
                expect(new Set(seen).size).to.equal(seen.length);
            }
        }
    });

    it('are the same by page and by cursor, ten at a time by default', async () => {
        for (const path of paths) {
            const all = await readAll(path, 100);
            expect(idsOf(await server.call('GET', path))).to.equal(all.slice(0, 10));
            expect(idsOf(await server.call('GET', `${path}?page=3`))).to.equal(all.slice(20, 30));
            expect(idsOf(await server.call('GET', `${path}?count=1&page=50`))).to.equal(all.slice(49, 50));
            const second = await server.call('GET', `${path}?count=100&page=2`);
            expect(idsOf(second)).to.equal(all.slice(100));
            expect([second.body.next, second.headers.link]).to.equal([null, undefined]);
            expect((await server.call('GET', `${path}?count=100&page=50`)).body).to.equal({ status: 'success', projects: [], next: null });

            // After a page by number, the next link uses a cursor.
            const page = await server.call('GET', `${path}?page=2&count=20`);
            expect(page.headers.link).to.equal(`<${path}?count=20&after=${page.body.next}>; rel="next"`);
            expect(idsOf(await server.call('GET', `${path}?count=20&after=${page.body.next}`))).to.equal(all.slice(40, 60));
        }
    });

    it('have a next page whatever the Host header says', async () => {
        for (const path of paths) {
            const { status, headers, body, text } = await server.call('GET', `${path}?page=2`, undefined, { headers: { host: 'place.example' } });
            expect(status, text).to.equal(200);
            expect(headers.link).to.equal(`<${path}?after=${body.next}>; rel="next"`);
        }
    });

    it('have no next page after the last project', async () => {
        const last = await server.call('GET', `${paths.at(-1)}?count=61&page=2`);
        expect(idsOf(last)).to.have.length(61);
        expect(last.body.next).to.be.null();
    });

    it('return 304 if unchanged, and support HEAD', async () => {
        for (const path of paths) {
            const { headers } = await server.call('GET', path);
            expect(String(headers.etag)).to.match(/^W\/"/);
            expect((await server.call('GET', path, undefined, { headers: { 'if-none-match': String(headers.etag) } })).status).to.equal(304);
            const head = await server.call('HEAD', path);
            expect([head.status, head.text, head.headers.link]).to.equal([200, '', headers.link]);
        }
    });

    const cursor = (text: string): string => Buffer.from(text).toString('base64url');
    const bad = [
        'count=0', 'count=101', 'count=-1', 'count=1.5', 'count=x', 'count=', 'count=01', 'count=1e1', 'page=0', 'page=51', 'page=x', 'page=99999', 'count=1&count=2', 'offset=1', 'after=', 'after=x', 'after=%00',
        `after=${cursor('4.1.1')}`, `after=${cursor('0.1')}`, `after=${cursor('0.1.0')}`, `after=${cursor('0.253402300800000.1')}`, `after=${cursor('0.1.9223372036854775808')}`, `after=${cursor('0.01.1')}`, `after=${cursor('0.1.1')}=`,
        `after=${cursor('0.1.1 ')}`, `after=${cursor('0.-1.1')}`, `page=1&after=${cursor('0.1.1')}`
    ];
    it('reject invalid counts, pages and cursors', async () => {
        for (const path of paths) {
            for (const query of bad) {
                expect((await server.call('GET', `${path}?${query}`)).body, `${path}?${query}`).to.include({ statusCode: 400, code: 'validation_failed' });
            }

            for (const place of ['0.0.1', '2.253402300799999.9223372036854775807']) {
                expect((await server.call('GET', `${path}?after=${cursor(place)}`)).status).to.equal(200);
            }
        }

        for (const language of ['x', 'en-', '%00', 'x'.repeat(21), 'en--GB']) {
            expect((await server.call('GET', `/discover/${language}`)).status, language).to.equal(400);
        }
    });

    it('skip and repeat nothing while projects are added', async () => {
        for (const path of paths) {
            const there = await readAll(path, 100);
            let adding = true;
            const add = async (): Promise<void> => {
                for (let n = 0; adding; ++n) {
                    const { rows: [{ id }] } = await server.database.db.raw(
                        'insert into projects (user_id, remixed_from, version, title, tags, featured) select user_id, id, version, title, \'{all}\', true from projects where id = (select min(id) from projects) returning id');
                    if (n % 3 === 0) {
                        await ada.call('DELETE', `/users/${ada.id}/projects/${id}`);
                    }
                }
            };

            const adders = [add(), add()];
            const seen = await readAll(path, 5).finally(() => {
                adding = false;
            });
            await Promise.all(adders);
            expect(seen.filter((id) => there.includes(id)), path).to.equal(there);
            expect(new Set(seen).size).to.equal(seen.length);
        }
    });
});

describe('featured projects', () => {
    let server: TestServer;
    let moderator: Author;
    const authors = new Map<string, Author>();

    before(async () => {
        server = await startTestServer();
        moderator = await openAuthor(server, 'mod', { moderator: true });
        for (const language of ['pt-BR', 'pt', 'PT-pt', 'en', 'en-GB', 'sr@latin', 'sr', 'ca.valencia', 'zh-Hans', 'mw', 'mw1']) {
            authors.set(language, await openAuthor(server, undefined, { language }));
        }

        // Each author has three, the authors taking turns.
        for (let round = 0; round < 3; ++round) {
            for (const author of authors.values()) {
                const { url } = await author.project();
                await moderator.call('PATCH', `${url}/feature`);
            }
        }

        await moderator.project();
    });

    after(() => server.stop());

    /** The languages of a list's authors in order, with the length of each run. */
    const read = async (path: string, size: number, byPage = false): Promise<string[]> => {
        const languages: string[] = [];
        const ids = new Set<string>();
        let next: string | null = '';
        for (let page = 1; next !== null; ++page) {
            const { body, text }: Answer = await server.call('GET', `${path}?count=${size}${next === '' ? '' : byPage ? `&page=${page}` : `&after=${next}`}`);
            next = body.next;
            for (const { author, id, featured } of body.projects) {
                expect(featured, text).to.be.true();
                languages.push(author.locale.language);
                ids.add(id);
            }
        }

        expect(ids.size).to.equal(languages.length);
        return languages;
    };

    const ranks: { asked: string; first: string[]; then: string[] }[] = [
        { asked: 'pt-BR', first: ['pt-BR'], then: ['PT-pt', 'pt'] },
        { asked: 'PT-br', first: ['pt-BR'], then: ['PT-pt', 'pt'] },
        { asked: 'pt_BR', first: ['pt-BR'], then: ['PT-pt', 'pt'] },
        { asked: 'pt', first: ['pt'], then: ['PT-pt', 'pt-BR'] },
        { asked: 'pt-AO', first: [], then: ['PT-pt', 'pt', 'pt-BR'] },
        { asked: 'en', first: ['en'], then: ['en-GB'] },
        { asked: 'sr', first: ['sr'], then: ['sr@latin'] },
        { asked: 'sr@latin', first: ['sr@latin'], then: ['sr'] },
        { asked: 'ca', first: [], then: ['ca.valencia'] },
        { asked: 'zh-Hant-TW', first: [], then: ['zh-Hans'] },
        { asked: 'mw1', first: ['mw1'], then: [] },
        { asked: 'mw', first: ['mw'], then: [] },
        { asked: 'ja', first: [], then: [] }
    ];
    for (const { asked, first, then } of ranks) {
        it(`for ${asked} are those of ${first.join() || 'nobody'}, then of ${then.join() || 'nobody'}, then the rest, each newest first`, async () => {
            const turns = [...authors.keys()].reverse();
            const ranked = [first, then, turns.filter((language) => !first.includes(language) && !then.includes(language))];
            const expected = ranked.flatMap((rank) => [1, 2, 3].flatMap(() => turns.filter((language) => rank.includes(language))));
            for (const size of [100, 10, 4, 1]) {
                expect(await read(`/discover/${asked}`, size), `${size}`).to.equal(expected);
                expect(await read(`/discover/${asked}`, size, size > 1), `${size} by page`).to.equal(expected);
            }
        });
    }

    it('are all listed without a language, newest first', async () => {
        const turns = [...authors.keys()].reverse();
        expect(await read('/discover', 4)).to.equal([...turns, ...turns, ...turns]);
    });

    it('follow their author to another language, and disappear when deleted', async () => {
        const author = authors.get('en');
        await author?.call('PATCH', `/users/${author.id}`, { language: 'pt_BR' });
        expect((await read('/discover/pt-BR', 2)).slice(0, 7)).to.equal(['pt-BR', 'pt-BR', 'pt-BR', 'pt-BR', 'pt-BR', 'pt-BR', 'PT-pt']);
        await author?.call('DELETE', `/users/${author.id}`);
        expect(await read('/discover', 100)).to.have.length(30);
        expect((await read('/discover/pt-BR', 2)).slice(0, 4)).to.equal(['pt-BR', 'pt-BR', 'pt-BR', 'PT-pt']);
    });
});
