import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import sharp from 'sharp';

import { looksOf } from '../../../src/files/assets/looks';
import { makeThumbnails } from '../../../src/files/thumbnails/jobs';
import { storeOrigin } from '../../../src/files/thumbnails/queries';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { inThisProcess } from '../../support/file-pools';
import { hashOf, mp3 } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { Actor, Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';

export const lab = script();
const { after, before, describe, it } = lab;

/** Pictures with something to see, each of its own seed: shapes in colours. */
async function scene(seed: number, side = 400): Promise<Buffer> {
    let state = seed * 7919 + 1;
    const next = (most: number): number => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor(state / 65536) % most;
    };

    const shapes = Array.from({ length: 12 }, () => `<ellipse cx="${next(400)}" cy="${next(400)}" rx="${30 + next(120)}" ry="${30 + next(120)}" fill="hsl(${next(360)},70%,${15 + next(70)}%)"/>`);
    return await sharp(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400"><rect width="400" height="400" fill="hsl(${next(360)},50%,60%)"/>${shapes.join('')}</svg>`))
        .resize(side, side).png().toBuffer();
}

const differ = (a: string | null, b: string | null): number => [...String(a)].filter((bit, at) => bit !== String(b)[at]).length;

describe('blocked pictures', () => {
    let test: TestServer;
    let author: Author;
    let other: Author;
    let guard: Actor;
    let bad: Buffer;
    let project: MadeProject;
    let element: Made;

    before(async () => {
        test = await startTestServer();
        await storeOrigin(test.database.db, 'http://127.0.0.1:3000');
        author = await openAuthor(test);
        other = await openAuthor(test);
        guard = await test.open(undefined, { moderator: true });
        bad = await scene(1);
    });

    after(() => test.stop());

    const put = (bytes: Buffer, type = 'image/png', by = author): Promise<Answer> => {
        return by.call('PUT', `/users/${by.id}/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });
    };

    const read = async (hash: string, query = ''): Promise<number> => (await test.server.inject(`/assets/${hash}${query}`)).statusCode;
    const block = (hash: string, { token } = guard): Promise<Answer> => {
        return test.call('PUT', `/moderation/assets/${hash}`, { reason: 'Hurtful' }, { token });
    };

    const draw = (): Promise<number> => {
        return makeThumbnails({ db: test.database.db, assets: test.assets, files: inThisProcess }, new AbortController().signal);
    };

    /** Copies as people make them to get around it. */
    const copies = async (of: Buffer): Promise<Record<string, Buffer>> => {
        const cut = { left: 6, top: 6, width: 388, height: 388 };
        return {
            jpeg: await sharp(of).jpeg({ quality: 60 }).toBuffer(), webp: await sharp(of).webp({ quality: 50 }).toBuffer(), small: await sharp(of).resize(150).png().toBuffer(), wide: await sharp(of).resize(500, 380, { fit: 'fill' }).png().toBuffer(),
            cut: await sharp(of).extract(cut).png().toBuffer(), 'cut and small': await sharp(await sharp(of).extract(cut).toBuffer()).resize(200).jpeg({ quality: 70 }).toBuffer(), grey: await sharp(of).greyscale().png().toBuffer(),
            brighter: await sharp(of).modulate({ brightness: 1.1 }).png().toBuffer(), gif: await sharp(of).gif().toBuffer()
        };
    };

    it('look the same when they are saved again, scaled or cut a little, and others do not', async () => {
        const scenes = await Promise.all(Array.from({ length: 40 }, (_one, n) => scene(n + 1)));
        const all = await Promise.all(scenes.map((one) => looksOf(one)));
        for (const [n, one] of scenes.slice(0, 8).entries()) {
            for (const [how, copy] of Object.entries(await copies(one))) {
                expect(differ(all[n] ?? null, await looksOf(copy)), how).to.be.at.most(10);
            }
        }

        const between = all.flatMap((one, n) => all.slice(n + 1).map((another) => differ(one, another)));
        expect(Math.min(...between)).to.be.above(10);
        // A picture with nothing to see looks like nothing.
        expect(await looksOf(await sharp({ create: { width: 50, height: 50, channels: 3, background: '#fafafa' } }).png().toBuffer())).to.be.null();
    });

    it('are gone everywhere', async () => {
        const hash = hashOf(bad);
        await put(bad);
        await put(bad, 'image/png', other);
        project = await author.project({ title: 'With a picture' });
        element = await author.element(project.page, { type: 'image', attributes: { src: `asset:${hash}` } });
        expect(await draw()).to.equal(1);
        expect([await read(hash), await read(hash, '?width=64'), await read(hash, '?width=640&height=960')]).to.equal([200, 200, 200]);
        const shown = await author.call('GET', project.url);
        const [, made = ''] = /assets\/([0-9a-f]{64})/.exec(JSON.stringify(shown.body.project.thumbnail)) ?? [];
        expect(await read(made)).to.equal(200);

        const blocked = await block(hash);
        expect([blocked.status, blocked.body]).to.equal([200, { status: 'updated', blocked: { sha256: hash, reason: 'Hurtful' } }]);
        await new Promise((resolve) => {
            setTimeout(resolve, 5100);
        });
        expect([await read(hash), await read(hash, '?width=64'), await read(hash, '?width=640&height=960'), await read(made)]).to.equal([
            404, 404, 404, 404
        ]);
        const tagged = await test.server.inject({ url: `/assets/${hash}`, headers: { 'if-none-match': `"${hash}"` } });
        expect(tagged.statusCode).to.equal(404);
        for (const one of [author, other]) {
            expect((await one.call('GET', `/users/${one.id}/assets`)).body.assets).to.equal([]);
            expect((await one.call('POST', `/users/${one.id}/assets/missing`, { ids: [hash] })).body.missing).to.equal([hash]);
        }

        const hidden = await author.call('GET', project.url);
        expect(hidden.body.project.thumbnail).to.equal({});
        await test.database.db('made_thumbnails').update({ made_at: '2026-01-01' });
        expect(await draw()).to.equal(1);
        const [, redrawn = ''] = /assets\/([0-9a-f]{64})/.exec(JSON.stringify((await author.call('GET', project.url)).body.project.thumbnail)) ?? [];
        expect(redrawn).to.not.equal(made);
        expect(await read(redrawn)).to.equal(200);
    });

    it('are left out of exports, and what is left can be changed and remixed', async () => {
        const zip = await test.server.inject({ url: `${project.url}/export`, headers: { authorization: `token ${author.token}` } });
        expect(zip.statusCode).to.equal(200);
        expect([...(await unzip(zip.rawPayload)).keys()]).to.equal(['project.json']);
        const html = await test.server.inject(`${project.url}/export?as=html`);
        expect([html.statusCode, html.payload.includes(`data-asset="${hashOf(bad)}"`)]).to.equal([200, false]);
        expect((await author.call('PATCH', element.url, { attributes: { src: `asset:${hashOf(bad)}`, alt: 'gone' } })).status).to.equal(200);
        expect((await other.call('POST', `${project.url}/remixes`, {})).status).to.equal(201);
    });

    it('cannot be sent again, nor near copies, by whichever way', async () => {
        const again = await put(bad);
        expect([again.status, again.body.code]).to.equal([403, 'picture_blocked']);
        const types: Record<string, string> = { jpeg: 'image/jpeg', webp: 'image/webp', 'cut and small': 'image/jpeg', gif: 'image/gif' };
        for (const [how, copy] of Object.entries(await copies(bad))) {
            const { status } = await put(copy, types[how] ?? 'image/png', other);
            expect([how, status]).to.equal([how, 403]);
        }

        const thumbnail = await author.call('PUT', `${project.url}/thumbnail`, await sharp(bad).resize(320).png().toBuffer(), {
            headers: { 'content-type': 'image/png' }
        });
        expect(thumbnail.body.code).to.equal('picture_blocked');
        for (let seed = 2; seed < 12; seed++) {
            expect((await put(await scene(seed))).status).to.equal(201);
        }
    });

    it('can be sounds too, by their bytes', async () => {
        const sound = mp3();
        await put(sound, 'audio/mpeg');
        expect((await block(hashOf(sound))).status).to.equal(200);
        expect((await put(sound, 'audio/mpeg')).body.code).to.equal('picture_blocked');
        expect((await put(mp3(6), 'audio/mpeg')).status).to.equal(201);
    });

    it('are blocked by moderators alone, who can let them be sent again', async () => {
        const hash = hashOf(bad);
        const unblock = ({ token }: Actor, which = hash, body = {}): Promise<Answer> => {
            return test.call('DELETE', `/moderation/assets/${which}`, body, { token });
        };

        expect([(await block('0'.repeat(64), author)).status, (await block(hash, other)).status, (await unblock(author)).status]).to.equal([
            403, 403, 403
        ]);
        expect([(await block('0'.repeat(64))).status, (await unblock(guard, '0'.repeat(64))).status]).to.equal([404, 404]);
        expect((await block(hash)).status).to.equal(200);
        const ended = await unblock(guard);
        expect([ended.status, ended.body]).to.equal([200, { status: 'deleted', blocked: { sha256: hash, reason: 'Hurtful' } }]);
        expect((await unblock(guard)).status).to.equal(404);
        expect((await put(bad)).status).to.equal(201);
        expect(await read(hash)).to.equal(200);
    });

    it('are stated to all who have sent them, whose appeal another moderator decides', async () => {
        const bytes = await scene(50);
        const hash = hashOf(bytes);
        const judge = await test.open(undefined, { moderator: true });
        const stated = async (of: Author): Promise<Answer['body'][]> => (await of.call('GET', '/users/me/statements')).body.statements.filter(({ sha256 }: Answer['body']) => sha256 === hash);
        await put(bytes);
        await put(bytes, 'image/png', other);
        expect((await block(hash)).status).to.equal(200);
        for (const sender of [author, other]) {
            expect(await stated(sender)).to.have.length(1);
            expect((await stated(sender))[0]).to.include({
                decision: 'remove', type: 'picture', thing_id: sender.id, project_id: null, reason: 'Hurtful', facts: 'own', ended_at: null
            });
        }

        // Sent again, as no answer came, it says the same; a new reason is told, though nobody is the sender any more.
        await block(hash);
        expect(await stated(author)).to.have.length(1);
        await test.call('PUT', `/moderation/assets/${hash}`, { reason: 'A portrait' }, { token: guard.token });
        expect((await stated(author)).map(({ reason, ended_at: ended }) => [reason, ended === null])).to.equal([['A portrait', true], ['Hurtful', false]]);
        const [{ id }] = await stated(author);
        expect((await author.call('POST', `/users/me/statements/${id}/appeal`, { text: 'It is a cat' })).status).to.equal(201);
        const decide = ({ token }: Actor): Promise<Answer> => test.call('PATCH', `/moderation/appeals/${id}`, { outcome: 'reversed', reason: 'A cat' }, { token });
        const unblock = ({ token }: Actor): Promise<Answer> => test.call('DELETE', `/moderation/assets/${hash}`, {}, { token });
        expect([(await decide(guard)).body.code, (await unblock(guard)).body.code, (await put(bytes)).status]).to.equal(['own_decision', 'own_decision', 403]);
        expect((await decide(judge)).status).to.equal(200);
        expect((await stated(author))[0].appeal).to.include({ outcome: 'reversed', reason: 'A cat' });
        expect((await stated(other)).map(({ ended_at: ended }) => ended === null)).to.equal([false, false]);
        expect((await put(bytes)).status).to.equal(201);
    });

    it('are not unblocked by a moderator who has sent them', async () => {
        const bytes = await scene(60);
        const hash = hashOf(bytes);
        const sender = await openAuthor(test, undefined, { moderator: true });
        const unblock = ({ token }: Actor): Promise<Answer> => test.call('DELETE', `/moderation/assets/${hash}`, {}, { token });
        await put(bytes, 'image/png', sender);
        await put(bytes);
        await block(hash);
        for (let n = 0; n < 2; ++n) {
            expect((await unblock(sender)).body.code).to.equal('own_decision');
            expect((await put(bytes)).body.code).to.equal('picture_blocked');
            // By the sender too: that changes nobody's right.
            await block(hash, sender);
        }

        expect((await unblock(guard)).status).to.equal(200);
        expect((await put(bytes)).status).to.equal(201);
    });

    it('are lines of the moderation log, with their hash and the reason', async () => {
        const hash = hashOf(bad);
        const long = '😀'.repeat(499);
        const unblock = (body: object): Promise<Answer> => test.call('DELETE', `/moderation/assets/${hash}`, body, { token: guard.token });
        const lines = async (count: number): Promise<[act: string, reason: string][]> => {
            const { body } = await test.call('GET', `/moderation/log?count=${count}`, undefined, guard);
            const about = { type: 'user', id: guard.id, project_id: null, owner: { id: guard.id, username: guard.username } };
            return body.entries.map(({ act, target, moderator, reason }: Answer['body']) => {
                expect([target, moderator]).to.equal([about, about.owner]);
                return [act, reason];
            });
        };

        await block(hash);
        await unblock({ reason: 'A mistake' });
        expect(await lines(2)).to.equal([['unblock_picture', `${hash}: A mistake`], ['block_picture', `${hash}: Hurtful`]]);
        await put(bad);
        await block(hash);
        await unblock({});
        expect(await lines(1)).to.equal([['unblock_picture', hash]]);
        expect((await unblock({ reason: long })).status).to.equal(404);
        expect(await lines(1)).to.equal([['unblock_picture', hash]]);
        expect((await unblock({ reason: '' })).status).to.equal(400);
        await put(bad);
        await test.call('PUT', `/moderation/assets/${hash}`, { reason: long + long.slice(0, 2) }, { token: guard.token });
        expect((await lines(1))[0]?.[1]).to.equal(`${hash}: ${long}😀`);
        await unblock({ reason: 'x'.repeat(1000) });
        expect((await lines(1))[0]?.[1]).to.have.length(1000);
        await put(bad);
    });

    it('are at most 2,000', async () => {
        await test.database.db.raw(`insert into blocked_pictures (hash, reason) select encode(sha256(n::text::bytea), 'hex'), 'x' from generate_series(1, 2000) n on conflict do nothing`);
        const { status, body } = await block(hashOf(bad));
        expect([status, body.code]).to.equal([409, 'picture_limit']);
    });
});
