import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { keepScanning } from '../../../src/files/scans/jobs';
import type { ScanOptions } from '../../../src/files/scans/jobs';
import { makeThumbnails } from '../../../src/files/thumbnails/jobs';
import { storeOrigin } from '../../../src/files/thumbnails/queries';
import { count, openAuthor, waiting } from '../../support/authoring';
import type { Author, MadeProject } from '../../support/authoring';
import { inThisProcess } from '../../support/file-pools';
import { ageAssets, drawing, hashOf, mp3, picture, referenceTo } from '../../support/files';
import { listen, until } from '../../support/host';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';
import { fileOf, zipBytes } from '../../support/zips';

export const lab = script();
const { after, afterEach, before, beforeEach, describe, it } = lab;

const yes = (response: ServerResponse): void => void response.end('{"ok":true}');
const no = (response: ServerResponse): void => void response.end('{"ok":false,"reason":"Known \\u0000 and bad"}');

describe('pictures are scanned', () => {
    let test: TestServer;
    let author: Author;
    let stranger: Author;
    let guard: Actor;
    let scanner: Server;
    let url: string;
    let scanned: { hash: string; headers: IncomingHttpHeaders; path: string | undefined }[];
    let answer: (response: ServerResponse) => void;
    const ends: (() => Promise<void>)[] = [];
    const logged: string[] = [];

    before(async () => {
        scanner = createServer((request, response) => {
            void buffer(request).then((bytes) => {
                scanned.push({ hash: hashOf(bytes), headers: request.headers, path: `${request.method} ${request.url}` });
                answer(response);
            });
        });
        url = `http://127.0.0.1:${await listen(scanner)}/scan?key=s3cret`;
        test = await startTestServer({ config: { scanUrl: url } });
        await storeOrigin(test.database.db, 'http://127.0.0.1:3000');
        author = await openAuthor(test);
        stranger = await openAuthor(test);
        guard = await test.open(undefined, { moderator: true });
    });

    beforeEach(() => {
        scanned = [];
        logged.length = 0;
        answer = yes;
    });

    afterEach(async () => {
        await Promise.all(ends.splice(0).map((end) => end()));
        expect(logged.join().includes('s3cret')).to.be.false();
    });

    after(async () => {
        scanner.close();
        scanner.closeAllConnections();
        await test.stop();
    });

    const logger = { warn: (...line: unknown[]): void => void logged.push(JSON.stringify(line)), info: (...line: unknown[]): void => void logged.push(JSON.stringify(line)) };
    const start = (options: Partial<ScanOptions> = {}): void => void ends.push(keepScanning({ db: test.database.db, assets: test.assets, url, logger, every: 20, firstRetry: 0.05, ...options }));
    const put = (bytes: Buffer, by: Author = author, type = 'image/png'): Promise<Answer> => by.call('PUT', `/users/${by.id}/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });
    const read = (bytes: Buffer, by?: Actor, query = ''): Promise<Answer> => test.call('GET', `/assets/${hashOf(bytes)}${query}`, undefined, by);
    const statuses = (bytes: Buffer): Promise<number[]> => Promise.all([author, stranger, undefined].map(async (by) => (await read(bytes, by)).status));
    const draw = (): Promise<number> => makeThumbnails({ db: test.database.db, assets: test.assets, files: inThisProcess }, new AbortController().signal);
    const timesScanned = (bytes: Buffer): number => scanned.filter(({ hash }) => hash === hashOf(bytes)).length;

    /** A project that shows a picture on its first page. */
    const projectWith = async (bytes: Buffer, by = author): Promise<MadeProject> => {
        const project = await by.project({ title: 'With a picture' });
        await by.element(project.page, { type: 'image', attributes: { src: referenceTo(bytes) } });
        return project;
    };

    it('before others see them', async () => {
        const bytes = await picture();
        expect((await put(bytes)).status).to.equal(201);
        expect(await statuses(bytes)).to.equal([200, 404, 404]);
        for (const query of ['?width=64', '?width=640&height=960']) {
            expect([(await read(bytes, author, query)).status, (await read(bytes, stranger, query)).status, (await read(bytes, undefined, query)).status]).to.equal([200, 404, 404]);
        }

        const headers = { range: 'bytes=0-3', 'if-none-match': `"${hashOf(bytes)}"` };
        for (const method of ['GET', 'HEAD'] as const) {
            expect((await test.server.inject({ method, url: `/assets/${hashOf(bytes)}`, headers })).statusCode).to.equal(404);
        }

        start();
        await until(async () => (await read(bytes)).status === 200);
        expect(await statuses(bytes)).to.equal([200, 200, 200]);
        expect(scanned.map(({ hash, path, headers: sent }) => [hash, path, sent['content-type'], sent['content-length']])).to.equal([
            [hashOf(bytes), 'POST /scan?key=s3cret', 'image/png', String(bytes.length)]
        ]);
        expect((await read(bytes)).headers['cache-control']).to.equal('public, max-age=31536000, immutable');
    });

    it('and what their sender sees until then is kept by no cache', async () => {
        const bytes = await picture();
        await put(bytes);
        const [own, others] = [await read(bytes, author), await read(bytes)];
        expect([own.headers['cache-control'], own.headers.vary]).to.equal(['private, no-cache', 'authorization,origin']);
        expect(others.headers['cache-control']).to.equal('private, no-cache');
        expect((await test.call('GET', `/assets/${hashOf(bytes)}`, undefined, { token: 'wrong' })).status).to.equal(404);
        expect((await read(bytes, guard)).status).to.equal(404);
    });

    it('once, whoever sends them and however many instances there are', async () => {
        const bytes = await picture();
        await put(bytes);
        await put(bytes, stranger);
        expect(await statuses(bytes)).to.equal([200, 200, 404]);
        answer = (response) => void sleep(100).then(() => yes(response));
        start();
        start();
        await until(async () => (await read(bytes)).status === 200);
        await put(bytes);
        await sleep(100);
        expect([timesScanned(bytes), await statuses(bytes)]).to.equal([1, [200, 200, 200]]);
    });

    it('of one sender after the other, so that nobody waits for all that somebody else has sent', async () => {
        for (let n = 0; n < 12; ++n) {
            await put(await picture());
        }

        const bytes = await picture();
        await put(bytes, stranger);
        answer = (response) => void sleep(50).then(() => yes(response));
        start();
        await until(() => scanned.length === 13);
        expect(scanned.slice(0, 4).map(({ hash }) => hash)).to.include(hashOf(bytes));
    });

    it('until the scanner has clearly said yes', async () => {
        const bytes = await picture();
        const wrong: ((response: ServerResponse) => void)[] = [
            (response) => response.writeHead(500).end('{"ok":true}'),
            (response) => response.end('fine'),
            (response) => response.end('{"ok":"true"}'),
            (response) => response.end('[{"ok":true}]'),
            (response) => response.end(`{"ok":true,"reason":"${'x'.repeat(2_000_000)}"}`),
            (response) => response.writeHead(307, { location: '/other' }).end(),
            (response) => response.destroy()
        ];
        const most = wrong.length;
        answer = (response) => (wrong.shift() ?? ((one: ServerResponse) => void one.writeHead(503).end()))(response);
        await put(bytes);
        start();
        await until(async () => {
            await test.database.db('asset_scans').update({ due_at: test.database.db.fn.now() });
            return timesScanned(bytes) > most;
        });
        expect(await statuses(bytes)).to.equal([200, 404, 404]);
        expect(logged.length).to.be.at.least(most);
        expect(logged.every((line) => line.includes(hashOf(bytes)) && line.includes('is tried again'))).to.be.true();
        answer = yes;
        await until(async () => {
            await test.database.db('asset_scans').update({ due_at: test.database.db.fn.now() });
            return (await read(bytes)).status === 200;
        });
    });

    it('and a scanner that does not answer, or is not there, is asked again', async () => {
        const [bytes, other] = [await picture(), await picture()];
        answer = () => undefined;
        await put(bytes);
        start({ timeout: 50 });
        await until(() => timesScanned(bytes) > 1);
        expect(await statuses(bytes)).to.equal([200, 404, 404]);
        answer = yes;
        await until(async () => (await read(bytes)).status === 200);
        await Promise.all(ends.splice(0).map((end) => end()));
        await put(other);
        logged.length = 0;
        start({ url: 'http://127.0.0.1:9/?key=s3cret' });
        await until(() => logged.length > 0);
        expect((await read(other)).status).to.equal(404);
        await Promise.all(ends.splice(0).map((end) => end()));
        start();
        await until(async () => (await read(other)).status === 200);
    });

    it('and one that is refused stays away from others, until a moderator lets it pass', async () => {
        const bytes = await picture();
        answer = no;
        await put(bytes);
        start();
        await until(async () => await count(test, 'from asset_scans where refused is not null') === 1);
        answer = yes;
        await put(bytes, stranger);
        await sleep(200);
        expect([timesScanned(bytes), await statuses(bytes)]).to.equal([1, [200, 200, 404]]);
        const { body: { entries: [entry] } } = await test.call('GET', '/moderation/log?count=1', undefined, guard);
        expect([entry.act, entry.moderator, entry.target.id, entry.reason]).to.equal(['block_picture', null, author.id, `${hashOf(bytes)}: Known   and bad`]);
        const lift = (by: Actor): Promise<Answer> => test.call('DELETE', `/moderation/assets/${hashOf(bytes)}`, {}, { token: by.token });
        expect((await lift(author)).status).to.equal(403);
        // Nobody decides about what they have sent themselves.
        const sender = await openAuthor(test, undefined, { moderator: true });
        await put(bytes, sender);
        expect((await lift(sender)).body.code).to.equal('own_decision');
        expect(await statuses(bytes)).to.equal([200, 200, 404]);
        const { status, body } = await lift(guard);
        expect([status, body.blocked]).to.equal([200, { sha256: hashOf(bytes), reason: 'Known   and bad' }]);
        expect(await statuses(bytes)).to.equal([200, 200, 200]);
        expect((await lift(guard)).status).to.equal(404);
    });

    /** What somebody reads of decisions about a picture. */
    const statementsOf = async (bytes: Buffer, of: Author): Promise<Answer['body'][]> => {
        const { body } = await of.call('GET', '/users/me/statements');
        return body.statements.filter(({ sha256 }: Answer['body']) => sha256 === hashOf(bytes));
    };

    it('and whoever sends one while it is refused is told why, too', async () => {
        const bytes = await picture();
        answer = no;
        await put(bytes);
        const sending = await test.database.db.transaction(async (trx) => {
            await trx.raw('select from assets where hash = ? for no key update', [hashOf(bytes)]);
            const begun = put(bytes, stranger);
            await until(async () => await waiting(test) === 1);
            start();
            await until(async () => await waiting(test) === 2 || await count(test, 'from asset_scans where id = ? and refused is not null', [hashOf(bytes)]) === 1);
            return { begun };
        });
        expect((await sending.begun).status).to.equal(201);
        await until(async () => (await statementsOf(bytes, author)).length === 1);
        expect(await statementsOf(bytes, stranger)).to.have.length(1);
    });

    it('and whoever has sent one that is refused is told why, and can appeal', async () => {
        const bytes = await picture();
        const hash = hashOf(bytes);
        const statements = (of: Author): Promise<Answer['body'][]> => statementsOf(bytes, of);
        const notices = async (of: Author): Promise<[kind: string, statement: string][]> => {
            const { rows } = await test.database.db.raw('select kind, thing_id::text as thing from notice_events where user_id = ? order by id', [of.id]);
            const own = (await statements(of)).map(({ id }) => id);
            return rows.map(({ kind, thing }: { kind: string; thing: string }) => [kind, thing]).filter(([, thing]: [string, string]) => own.includes(thing));
        };

        const other = await openAuthor(test);
        answer = no;
        await put(bytes);
        await put(bytes, other);
        start();
        await until(async () => (await statements(other)).length > 0);
        // Also who sends it later, each once.
        await put(bytes, stranger);
        await put(bytes, stranger);
        await put(bytes, other);
        for (const sender of [author, other, stranger]) {
            const [stated, ...more] = await statements(sender);
            expect(more).to.equal([]);
            expect(stated).to.include({
                decision: 'hold', type: 'picture', thing_id: sender.id, project_id: null, title: null, rule: 'other', reason: 'Known   and bad', facts: 'automatic', until: null, ended_at: null
            });
            expect(await notices(sender)).to.equal([['decision', stated.id]]);
        }

        const judge = await openAuthor(test, undefined, { moderator: true });
        await put(bytes, judge);
        const appeal = async (by: Author): Promise<string> => {
            const [{ id }] = await statements(by);
            expect((await by.call('POST', `/users/me/statements/${id}/appeal`, { text: 'It is a cat' })).status).to.equal(201);
            return id;
        };

        const decide = (id: string, outcome: string, { token }: Actor = guard): Promise<Answer> => test.call('PATCH', `/moderation/appeals/${id}`, { outcome, reason: 'I looked' }, { token });
        const [first, second] = [await appeal(author), await appeal(stranger)];
        expect((await decide(first, 'upheld')).status).to.equal(200);
        expect(await statuses(bytes)).to.equal([200, 200, 404]);
        // Whoever has sent it as well decides nothing that others see it by.
        expect((await decide(second, 'reversed', judge)).body.code).to.equal('own_decision');
        expect((await statements(stranger))[0].appeal.outcome).to.be.null();
        const { status, body } = await decide(second, 'reversed');
        expect([status, body.statement.appeal.outcome, body.statement.ended_at === null]).to.equal([200, 'reversed', false]);
        expect(await statuses(bytes)).to.equal([200, 200, 200]);
        for (const sender of [author, other, stranger, judge]) {
            expect((await statements(sender))[0].ended_at).to.not.be.null();
        }

        expect(await notices(stranger)).to.equal([['decision', second], ['appeal', second]]);
        const { body: { entries } } = await test.call('GET', '/moderation/log?count=3', undefined, guard);
        expect(entries.map(({ act, target, reason }: Answer['body']) => [act, target.type, target.id, target.project_id, reason])).to.equal([
            ['unblock_picture', 'user', guard.id, null, hash], ['reverse', 'user', stranger.id, null, `${hash}: I looked`], ['uphold', 'user', author.id, null, `${hash}: I looked`]
        ]);
    });

    it('also drawings and thumbnails, but no sounds, nor what was there before', async () => {
        const [svg, sound, own, old] = [drawing('<!-- scanned -->'), mp3(), await picture('webp'), await picture()];
        await put(svg, author, 'image/svg+xml');
        await put(sound, author, 'audio/mpeg');
        const project = await author.project();
        await author.call('PUT', `${project.url}/thumbnail`, own, { headers: { 'content-type': 'image/webp' } });
        expect([await statuses(svg), await statuses(sound), await statuses(own)]).to.equal([[200, 404, 404], [200, 200, 200], [200, 404, 404]]);
        const earlier = await startTestServer({ database: test.database, assets: test.assets });
        await earlier.call('PUT', `/users/${author.id}/assets/${hashOf(old)}`, old, { token: author.token, headers: { 'content-type': 'image/png' } });
        await earlier.server.stop();
        await put(old, stranger);
        expect(await statuses(old)).to.equal([200, 200, 200]);
        start();
        await until(async () => (await read(own)).status === 200 && (await read(svg)).status === 200);
        expect([timesScanned(old), timesScanned(sound)]).to.equal([0, 0]);
    });

    it('those of imports too', async () => {
        const bytes = await picture();
        const file = fileOf({ title: 'Brought' }, [{ id: '5', x: 0, y: 0, styles: {}, elements: [{ type: 'image', attributes: { src: referenceTo(bytes) } }] }]);
        const zip = zipBytes([{ name: 'project.json', content: JSON.stringify(file) }, { name: `assets/${hashOf(bytes)}.png`, content: bytes }]);
        const sent = await author.call('POST', `/users/${author.id}/imports`, zip, { headers: { 'content-type': 'application/zip' } });
        expect([sent.status, await statuses(bytes)]).to.equal([201, [200, 404, 404]]);
        start();
        await until(async () => (await read(bytes)).status === 200);
    });

    it('and projects are drawn and exported without them until then', async () => {
        const bytes = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#f00' } }).png().toBuffer();
        await put(bytes);
        const project = await projectWith(bytes);
        const shown = async (): Promise<string> => {
            await test.database.db('made_thumbnails').update({ made_at: '2026-01-01' });
            await draw();
            const [, made = ''] = /assets\/([0-9a-f]{64})/.exec(JSON.stringify((await author.call('GET', project.url)).body.project.thumbnail)) ?? [];
            const { dominant } = await sharp((await test.server.inject(`/assets/${made}`)).rawPayload).stats();
            return dominant.r > 200 && dominant.g < 60 ? 'red' : 'other';
        };

        const exported = async (): Promise<boolean[]> => [
            (await unzip((await test.server.inject({ url: `${project.url}/export`, headers: { authorization: `token ${stranger.token}` } })).rawPayload)).has(`assets/${hashOf(bytes)}.png`),
            (await test.server.inject(`${project.url}/export?as=html`)).payload.includes(`data-asset="${hashOf(bytes)}"`)
        ];

        expect([await shown(), await exported()]).to.equal(['other', [false, false]]);
        start();
        await until(async () => (await read(bytes)).status === 200);
        expect([await shown(), await exported()]).to.equal(['red', [true, true]]);
    });

    it('and a thumbnail for which that came while it was drawn is drawn again', async () => {
        const bytes = await picture();
        await put(bytes);
        await projectWith(bytes);
        const drawn: number[] = [];
        const files = {
            ...inThisProcess,
            run: async (...args: Parameters<typeof inThisProcess.run>) => {
                const [task] = args;
                if (task.kind === 'draw') {
                    drawn.push(task.pictures.size);
                    start();
                    await until(async () => (await read(bytes)).status === 200);
                }

                return inThisProcess.run(...args);
            }
        };
        const look = (): Promise<number> => makeThumbnails({ db: test.database.db, assets: test.assets, files }, new AbortController().signal);
        await look();
        await look();
        expect(drawn).to.equal([0, 1]);
    });

    it('no longer, if nobody needs them any more', async () => {
        const bytes = await picture();
        answer = (response) => void response.writeHead(500).end();
        await put(bytes);
        await ageAssets(test.database.db, 100);
        await test.database.db.raw('delete from assets where hash = ?', [hashOf(bytes)]);
        start();
        await sleep(100);
        expect([timesScanned(bytes), await statuses(bytes)]).to.equal([0, [404, 404, 404]]);
        answer = yes;
        await put(bytes);
        await until(async () => (await read(bytes)).status === 200);
    });
});
