import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { index, keepIndexed } from '../../../src/community/search/jobs';
import { search } from '../../../src/community/search/queries';
import { count, openAuthor } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const never = new AbortController().signal;

describe('search', () => {
    let server: TestServer;
    let ada: Author;
    let bea: Author;

    before(async () => {
        server = await startTestServer();
        ada = await openAuthor(server, 'ada_lovelace', { language: 'en' });
        bea = await openAuthor(server, 'bea', { language: 'pt-BR' });
    });

    after(() => server.stop());

    const ask = async (q: string, more = ''): Promise<Answer> => {
        await index(server.database.db, never);
        const answer = await server.call('GET', `/search?q=${encodeURIComponent(q)}${more}`);
        expect(answer.status, `${q}: ${answer.text}`).to.equal(200);
        return answer;
    };

    const titles = async (q: string, more = ''): Promise<string[]> => (await ask(q, more)).body.projects.map(({ title }: { title: string }) => title);

    /** What is found by each question, and by none of the others. */
    const finds = async (title: string, found: readonly string[], notFound: readonly string[] = []): Promise<void> => {
        await ada.project({ title });
        for (const q of found) {
            expect(await titles(q), q).to.include(title);
        }

        for (const q of notFound) {
            expect(await titles(q), q).to.not.include(title);
        }
    };

    it('finds words without regard to case and accents, and by their beginning', async () => {
        await finds('Meu Jardín de Ñandúes', ['jardin', 'JARDIN', 'jardín', 'jard', 'ja', 'nandu', 'meu nand', '  meu,jardin! ', 'ｊａｒｄｉｎ'], ['ardin', 'jardins', 'meu gato']);
        await finds('Straße nach Łódź, Ærø', ['strasse', 'STRASSE', 'lodz', 'łódź', 'aero', 'Ærø']);
        await finds('Ёлка и Йод', ['елка', 'ЁЛКА', 'ёлк', 'иод', 'йод'], ['лка']);
        await finds('Η Οδύσσεια του Οδυσσέας', ['οδυσσεια', 'ΟΔΥΣΣΕΑΣ', 'οδυσσέας']);
        await finds('İstanbul ışıkları', ['istanbul', 'ISTANBUL', 'isikla', 'ışık']);
        await finds('حديقة المدرسةِ الجميلة', ['حديقة', 'المدرسة', 'المدر', 'ٱلمَدرَسة'.replace('ٱ', 'ا')], ['مدرسة الجبل']);
        await finds('שָׁלוֹם עולם', ['שלום', 'עול']);
        await finds('हिन्दी की कहानी', ['हिन्दी', 'कहानी', 'कहा'], ['कही']);
        await finds('한국어 학교에서', ['한국', '학교', '학교에서']);
        // As somebody would type it on another keyboard: with marks of their own.
        await finds('Crème brûlée', ['creme', 'Cre\u0300me bru\u0302le\u0301e', 'brulee']);
    });

    it('finds any piece of Chinese, Japanese and Thai', async () => {
        await finds('我的学校花园计划', ['学校', '花园计划', '的学校花', '园', '我的学校花园计划', '划'], ['学园', '校学', '花计']);
        await finds('東京タワーのひみつ', ['東京', 'タワー', 'ワー', 'ひみつ', 'のひみ', 'みつ', '京タ'], ['京東', 'みひつ']);
        await finds('สวนหลังบ้านของฉัน', ['สวน', 'บ้าน', 'หลังบ้าน', 'ของฉัน', 'ฉัน'], ['แมว', 'บานหลัง']);
        await finds('HTML入門とCSS', ['入門', 'html', 'css', 'html 入門']);
    });

    it('needs all of the words, anywhere', async () => {
        await ada.project({ title: 'Windmills', description: 'How the sails turn #holland #wind_power' });
        expect(await titles('windmills sails')).to.equal(['Windmills']);
        expect(await titles('sails holland ada')).to.equal(['Windmills']);
        expect(await titles('power lovelace windmills turn')).to.equal(['Windmills']);
        expect(await titles('windmills cheese')).to.equal([]);
        // What is beyond the eighth word is not looked at.
        expect(await titles('how the sails turn windmills holland wind power cheese')).to.equal(['Windmills']);
        expect(await titles('a')).to.not.include('Windmills');
    });

    it('finds at the shortest and the longest question', async () => {
        const long = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(5);
        await finds(long, ['pneu', 'pn', long.slice(0, 200)]);
        await finds('Plan B', ['b', 'plan b']);
        for (const q of ['', '   ', '\u3000\t ', 'x'.repeat(201)]) {
            const { status, body } = await server.call('GET', `/search?q=${encodeURIComponent(q)}`);
            expect([status, body.code], q).to.equal([400, 'validation_failed']);
        }

        expect((await server.call('GET', '/search')).status).to.equal(400);
        expect((await server.call('GET', '/search?q=x&page=2')).status).to.equal(400);
    });

    it('shows the best matches first, and the newest of equal ones', async () => {
        const zed = await openAuthor(server, 'quokka-fan');
        const made = {
            anywhere: await ada.project({ title: 'Animals', description: 'Also a quokka' }),
            author: await zed.project({ title: 'Of mine' }),
            beginning: await ada.project({ title: 'Quokkas of the island' }),
            tag: await ada.project({ title: 'Tagged', description: '#quokka' }),
            title: await ada.project({ title: 'A quokka' }),
            older: await ada.project({ title: 'QUOKKA' })
        };
        const ids = ({ body }: Answer): string[] => body.projects.map(({ id }: { id: string }) => id);
        const expected = [made.older, made.title, made.beginning, made.tag, made.author, made.anywhere].map(({ id }) => id);
        expect(ids(await ask('quokka'))).to.equal(expected);
        expect(expected).to.include(ids(await ask('quokk')));
    });

    it('is a list with cursors that skips and repeats nothing while projects are added', async () => {
        const made: MadeProject[] = [];
        for (let n = 0; n < 23; ++n) {
            made.push(await ada.project({ title: n % 3 === 0 ? 'Zebra' : 'Stripes', description: n % 3 === 1 ? '#zebra' : 'of a zebra' }));
        }

        const seen: string[] = [];
        for (let path: string | undefined = '/search?q=Zebra%20!&count=5'; path !== undefined;) {
            await index(server.database.db, never);
            const { status, body, headers, text }: Answer = await server.call('GET', path);
            expect(status, text).to.equal(200);
            seen.push(...body.projects.map(({ id }: { id: string }) => id));
            expect(headers.link).to.equal(body.next === null ? undefined : `</search?count=5&after=${body.next}&q=Zebra%20!>; rel="next"`);
            path = /<(.+)>/.exec(String(headers.link))?.[1];
            await ada.project({ title: 'Zebra, too late' });
        }

        const ranked = [0, 1, 2].flatMap((rank) => made.filter((_project, n) => n % 3 === rank).reverse());
        expect(seen).to.equal(ranked.map(({ id }) => id));
        // Each page as short as can be: the time is always over.
        const { db } = server.database;
        const hurried: string[] = [];
        let place = { rank: 0, time: '0', before: 'infinity', beforeId: '9223372036854775807', offset: 0, count: 5 };
        for (let pages = 0; ; ++pages) {
            const row = await search(db, { q: 'zebra' }, place, -1);
            hurried.push(...row.items === '' ? [] : JSON.parse(`[${row.items}]`).map(({ id }: { id: string }) => id));
            if (row.id === null) {
                // On a cluster, a search has as long as any statement.
                expect(pages > Math.ceil(hurried.length / place.count)).to.equal(!isCluster);
                break;
            }

            place = { ...place, rank: Number(row.rank), beforeId: row.id };
        }

        expect(hurried.filter((id) => seen.includes(id))).to.equal(seen);
        expect(new Set(hurried).size).to.equal(hurried.length);
    });

    it('goes on from block to block of ids', async () => {
        const { db } = server.database;
        const { rows } = await db.raw(`
            insert into projects (id, user_id, version, title)
            select 1000000 + n * 20000, ?::bigint, '1', 'Okapi ' || n from generate_series(1, 7) n returning id::int`, [ada.id]);
        const seen: number[] = [];
        for (let further = ''; ;) {
            const { body } = await ask('okapi', `&count=3${further}`);
            seen.push(...body.projects.map(({ id }: { id: string }) => Number(id)));
            if (body.next === null) {
                break;
            }

            further = `&after=${body.next}`;
        }

        expect(seen).to.equal(rows.map(({ id }: { id: number }) => id).sort((a: number, b: number) => b - a));
    });

    it('is narrowed to a language, a tag and an author', async () => {
        await ada.project({ title: 'Kites fly', description: '#outside' });
        await bea.project({ title: 'Kites voam', description: '#Outside #céu' });
        expect(await titles('kites')).to.equal(['Kites voam', 'Kites fly']);
        for (const [more, found] of [
            ['&language=en', ['Kites fly']], ['&language=pt', ['Kites voam']], ['&language=pt-br', ['Kites voam']], ['&language=pt_BR', ['Kites voam']], ['&language=pt-PT', []],
            ['&tag=outside', ['Kites voam', 'Kites fly']], ['&tag=%23OUTSIDE', ['Kites voam', 'Kites fly']], ['&tag=c%C3%A9u', ['Kites voam']], ['&tag=out', []],
            ['&author=bea', ['Kites voam']], ['&author=BEA', ['Kites voam']], ['&author=be', []],
            ['&author=bea&tag=outside&language=pt', ['Kites voam']], ['&author=bea&language=en', []]
        ] as const) {
            expect(await titles('kites', more), more).to.equal([...found]);
        }

        const { headers } = await ask('kites', '&author=ada_lovelace&tag=outside&count=1&language=en');
        expect(headers.link).to.be.undefined();
        for (const more of ['&author=not%20a%20name', '&language=!', '&tag=', '&colour=red']) {
            expect((await server.call('GET', `/search?q=kites${more}`)).status, more).to.equal(400);
        }
    });

    it('follows every write: single, bulk, remix, undo, restore, rename, and the end of an account', async () => {
        const eve = await openAuthor(server, 'eve');
        const project = await eve.project({ title: 'Walrus' });
        expect(await titles('walrus')).to.equal(['Walrus']);
        await eve.call('PATCH', project.url, { title: 'Narwhal' });
        expect([await titles('walrus'), await titles('narwhal')]).to.equal([[], ['Narwhal']]);
        await eve.call('PATCH', project.url, { description: '#tusks' });
        expect([await titles('tusks'), await titles('narwhal', '&tag=tusks')]).to.equal([['Narwhal'], ['Narwhal']]);
        await eve.bulk([{ type: 'projects', method: 'update', data: { id: project.id, title: 'Unicorn' } }, { type: 'projects', method: 'create', data: { title: 'Second unicorn' } }]);
        expect([await titles('narwhal'), await titles('unicorn', '&author=eve')]).to.equal([[], ['Second unicorn', 'Unicorn']]);
        await bea.remix(project);
        expect(await titles('unicorn', '&author=bea')).to.equal(['Unicorn']);
        const { body: { project: { revision } } } = await eve.call('GET', project.url);
        await eve.call('POST', `${project.url}/history/${revision}/undo`, {});
        expect(await titles('narwhal', '&author=eve')).to.equal(['Narwhal']);

        await eve.call('DELETE', project.url);
        expect(await titles('narwhal')).to.equal([]);
        const { body: { trash: [entry] } } = await eve.call('GET', `/users/${eve.id}/trash`);
        await eve.call('POST', `/users/${eve.id}/trash/${entry.id}/restore`, {});
        expect(await titles('narwhal')).to.equal(['Narwhal']);

        await eve.call('PATCH', `/users/${eve.id}`, { username: 'eve-the-second', language: 'fr' });
        expect([await titles('narwhal eve-the-second'), await titles('narwhal', '&author=eve'), await titles('narwhal', '&author=eve-the-second&language=fr')]).to.equal([['Narwhal'], [], ['Narwhal']]);
        await eve.call('DELETE', `/users/${eve.id}`);
        expect(await titles('narwhal')).to.equal([]);
        expect(await count(server, 'from search_queue')).to.equal(0);
    });

    it('follows the name of somebody with many projects, in steps, also if it changes meanwhile', async () => {
        const { db } = server.database;
        const max = await openAuthor(server, 'max');
        await db.raw(`insert into projects (user_id, version, title) select ?::bigint, '1', 'Gecko ' || n from generate_series(1, 1100) n`, [max.id]);
        await index(db, never);
        expect(await titles('gecko max', '&count=100')).to.have.length(100);
        await max.call('PATCH', '/users/me', { username: 'moritz' });
        await max.call('PATCH', '/users/me', { username: 'Minna' });
        expect(await count(server, 'from search_authors')).to.equal(1);
        const indexing = index(db, never);
        await max.call('PATCH', '/users/me', { username: 'maja' });
        await indexing;
        expect([await titles('gecko max'), await titles('gecko moritz'), await titles('gecko minna')]).to.equal([[], [], []]);
        expect(await count(server, 'from search_authors')).to.equal(0);
        const found: string[] = [];
        for (let further = ''; ;) {
            const { body } = await ask('gecko maja', `&count=100${further}`);
            found.push(...body.projects.map(({ id }: { id: string }) => id));
            if (body.next === null) {
                break;
            }

            further = `&after=${body.next}`;
        }

        expect([found.length, new Set(found).size]).to.equal([1100, 1100]);
    });

    it('leaves out at once what is not public any more, before its index says so', async () => {
        const project = await ada.project({ title: 'Aardvark' });
        expect(await titles('aardvark')).to.equal(['Aardvark']);
        for (const visibility of ['private', 'unlisted'] as const) {
            await ada.call('PATCH', project.url, { visibility });
            expect((await server.call('GET', '/search?q=aardvark', undefined, { token: ada.token })).body).to.equal({ status: 'success', projects: [], next: null });
            await index(server.database.db, never);
            expect(await count(server, 'from project_search where project_id = ?', [project.id])).to.equal(0);
            await ada.call('PATCH', project.url, { visibility: 'public' });
            expect(await titles('aardvark')).to.equal(['Aardvark']);
        }

        await server.database.db.raw(`update projects set held_at = now(), held_reason = 'x' where id = ?`, [project.id]);
        expect((await server.call('GET', '/search?q=aardvark')).body.projects).to.equal([]);
    });

    it('never fails, whatever is asked', async () => {
        for (const q of [
            '\'', '"', '\\', '%', '_', ':*', '!', '&', '|', '<->', '()', '(', 'a & b | !c', '\'a\':*', 'a\\\'b', '~', '~tx', '1~', '$1', '--', ';drop table projects', '\'\'\'\'',
            '🌿'.repeat(200), '👩‍👩‍👧‍👦', 'x'.repeat(200), '\u0301'.repeat(200), `a${'\u0301'.repeat(199)}`, '\u202E', '\u200B', 'ﷺ'.repeat(200), '㍿'.repeat(200), '한'.repeat(200), '漢'.repeat(200),
            'ก'.repeat(200), 'ß'.repeat(200), '\u{1F1E6}', '\u{20000}'.repeat(200), 'a b c d e f g h i j k l m n o p', '1 2 3', '0', 'null', 'ʼ', 'İ'.repeat(200), '٠١٢', 'x\u{E0041}y'
        ]) {
            const { body, headers } = await ask(q);
            expect(body.status, q).to.equal('success');
            expect(headers['x-request-id']).to.exist();
        }

        for (const [q, status] of [['%00', 400], ['a%00b', 400], ['%ED%A0%80', 200], ['%FF', 200], ['%', 200]] as const) {
            expect((await server.call('GET', `/search?q=${q}`)).status, q).to.equal(status);
        }

        expect((await server.call('GET', `/search?q=x&after=${Buffer.from('3.0.1').toString('base64url')}`)).body.projects).to.equal([]);
        for (const cursor of ['x', Buffer.from('4.0.1').toString('base64url'), Buffer.from('0.0.0').toString('base64url')]) {
            expect((await server.call('GET', `/search?q=x&after=${cursor}`)).status).to.equal(400);
        }

        // The same as titles, which the index takes.
        for (const title of ['\'', ':*', '~', '\\', '🌿'.repeat(200), 'ﷺ'.repeat(200), '漢'.repeat(256), `a${'\u0301'.repeat(255)}`, '  ']) {
            await ada.project({ title, description: `${title.repeat(3)} #${'x'.repeat(150)}` });
        }

        expect(await titles('x', `&tag=${'x'.repeat(150)}`)).to.equal([]);
        expect(await titles('x'.repeat(40), `&tag=${'x'.repeat(150)}`)).to.have.length(9);
        expect(server.faults).to.equal([]);
    });

    it('is filled with many projects at once, in steps', async () => {
        const { db } = server.database;
        await db.raw('truncate project_search, search_queue, search_authors');
        await db.raw(`insert into projects (user_id, version, title) select ?::bigint, '1', 'Ibex ' || n from generate_series(1, 1200) n`, [ada.id]);
        await ada.project({ title: 'Ibex anew' });
        await db.raw('insert into search_queue (project_id) select id from projects');
        const ending = new AbortController();
        const filling = index(db, ending.signal);
        ending.abort();
        await filling;
        expect(await count(server, 'from project_search')).to.be.below(1200);
        await Promise.all([index(db, never), index(db, never)]);
        await index(db, never);
        expect(await count(server, `from projects p left join project_search s on s.project_id = p.id
            where (s.project_id is not null) <> (p.deleted_at is null and p.visibility = 'public' and p.held_at is null)`)).to.equal(0);
        expect((await titles('ibex'))[0]).to.equal('Ibex anew');
    });

    it('is kept by one instance at a time', async () => {
        const { db } = server.database;
        await ada.project({ title: 'Caracal' });
        await db.transaction(async (trx) => {
            await trx.raw('select from search_progress for update');
            await index(db, never);
            expect(await count(server, 'from search_queue')).to.equal(1);
        });
        expect(await titles('caracal')).to.equal(['Caracal']);
    });

    it('is kept by a running instance, and goes on after a failure', async () => {
        const { db } = server.database;
        const warnings: string[] = [];
        const end = keepIndexed(db, { warn: (_details: unknown, message?: string) => warnings.push(String(message)) }, 10);
        const found = async (title: string): Promise<void> => {
            for (let tries = 0; (await server.call('GET', `/search?q=${title}`)).body.projects.length === 0; ++tries) {
                expect(tries).to.be.below(200);
                await sleep(25);
            }
        };

        await ada.project({ title: 'Pangolin' });
        await found('pangolin');
        await db.raw('alter table search_queue rename to away');
        while (warnings.length === 0) {
            await sleep(10);
        }

        await db.raw('alter table away rename to search_queue');
        await ada.project({ title: 'Tapir' });
        await found('tapir');
        await end();
        expect(warnings[0]).to.contain('is tried again');
    });
});
