import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { MAX_SENT_ASSETS } from '../../../src/limits';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { drawing, hashOf, noise, picture, referenceTo, wav } from '../../support/files';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, after } = lab;

const put = (by: Author, bytes: Buffer, type = 'image/png'): Promise<Answer> => {
    return by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': type } });
};

describe('One\'s own assets', () => {
    let test: TestServer;
    let author: Author;
    let other: Author;

    before(async () => {
        test = await startTestServer({ config: { assetQuota: 100_000, publicUrl: 'https://pages.example' } });
        [author, other] = [await openAuthor(test), await openAuthor(test)];
    });

    after(() => test.stop());

    it('are listed with what uses them, for their owner alone', async () => {
        const files = [await picture(), wav(9), await picture()];
        for (const [n, bytes] of files.entries()) {
            expect((await put(author, bytes, n === 1 ? 'audio/wav' : 'image/png')).status).to.equal(201);
        }

        const project = await author.project();
        await author.element(project.page, { attributes: { src: referenceTo(files[0] ?? wav()) } });
        const foreign = await other.project();
        await other.element(foreign.page, { attributes: { src: referenceTo(files[1] ?? wav()) } });

        const all = await author.call('GET', '/users/me/assets');
        expect(all.status).to.equal(200);
        expect(all.body.assets.map(({ id, projects }: { id: string; projects: string[] }) => [id, projects])).to.equal([
            [hashOf(files[2] ?? wav()), []], [hashOf(files[1] ?? wav()), []], [hashOf(files[0] ?? wav()), [project.id]]
        ]);
        expect(all.body.assets[1]).to.include({
            type: 'audio/wav', width: null, height: null, url: `https://pages.example/assets/${hashOf(files[1] ?? wav())}`
        });
        expect(all.body.quota).to.equal({ used: files.reduce((sum, { length }) => sum + length, 0), limit: 100_000 });
        const first = await author.call('GET', '/users/me/assets?count=2');
        const second = await author.call('GET', `/users/me/assets?count=2&after=${first.body.next}`);
        expect([first.body.assets.length, second.body.assets.length, second.body.next]).to.equal([2, 1, null]);

        expect((await other.call('GET', '/users/me/assets')).body).to.include({ assets: [], quota: { used: 0, limit: 100_000 } });
        for (const [method, url, body] of [['GET', `/users/${author.id}/assets`], ['POST', `/users/${author.id}/assets/missing`, { ids: [] }], ['PUT', `/users/${author.id}/assets/${hashOf(wav())}`, wav()]] as const) {
            expect((await other.call(method, url, body)).status).to.equal(403);
            expect((await other.call(method, url.replace(`/users/${author.id}/`, '/users/999999/'), body)).status).to.equal(404);
        }
    });

    it('are missing until this user has sent them, whoever else has', async () => {
        const [mine, theirs] = [await picture(), await picture()];
        await put(author, mine);
        await put(other, theirs);
        const ids = [hashOf(theirs), hashOf(mine), '0'.repeat(64), hashOf(theirs)];
        expect((await author.call('POST', '/users/me/assets/missing', { ids })).body).to.equal({
            status: 'success', missing: [hashOf(theirs), '0'.repeat(64)]
        });
        expect((await author.call('POST', '/users/me/assets/missing', { ids: [] })).body.missing).to.equal([]);
        expect((await author.call('POST', '/users/me/assets/missing', { ids: ['abc'] })).status).to.equal(400);
    });

    it('count once each, and never exceed the quota, however many are sent at once', async () => {
        const user = await openAuthor(test);
        const files = await Promise.all(Array.from({ length: 8 }, () => noise(20_000)));
        const answers = await Promise.all(files.map((bytes) => put(user, bytes)));
        const stored = answers.filter(({ status }) => status === 201).length;
        expect(stored).to.equal(4);
        expect(answers.filter(({ status }) => status !== 201).map(({ status, body }) => [status, body.code])).to.equal(Array.from({ length: 4 }, () => [409, 'quota_exceeded']));
        const { body } = await user.call('GET', '/users/me/assets');
        expect(body.quota.used).to.equal(body.assets.reduce((sum: number, { size }: { size: number }) => sum + size, 0));
        // What is there already can be sent again.
        const again = await Promise.all(files.map((bytes) => put(user, bytes)));
        expect(again.filter(({ status }) => status === 200).length).to.equal(4);
        for (const bytes of files.filter((_one, n) => answers[n]?.status !== 201)) {
            expect((await test.call('GET', `/assets/${hashOf(bytes)}`)).status).to.equal(404);
        }
    });

    it('are at most so many', async () => {
        const user = await openAuthor(test);
        await test.database.db.raw(`
            with made as (insert into assets (hash, type, size) select lpad(to_hex(n), 64, '0'), 'audio/wav', 1 from generate_series(1, ${MAX_SENT_ASSETS}) n returning hash)
            insert into sent_assets (user_id, hash, size) select ?, hash, 1 from made`, [user.id]);
        const { status, body } = await put(user, await picture());
        expect([status, body.code]).to.equal([409, 'quota_exceeded']);
    });

    it('can be thumbnails', async () => {
        const project = await author.project();
        const thumbnail = (by: Author, bytes: Buffer, type: string, headers = {}): Promise<Answer> => {
            return by.call('PUT', `${project.url}/thumbnail`, bytes, { headers: { 'content-type': type, ...headers } });
        };

        const bytes = await picture('webp');
        const { status, body } = await thumbnail(author, bytes, 'image/webp', { 'if-match': `"${project.thing.revision}.1"` });
        expect(status).to.equal(200);
        const url = `https://pages.example/assets/${hashOf(bytes)}`;
        expect(body.project.thumbnail).to.equal({ 320: `${url}?width=320`, 640: `${url}?width=640` });
        expect((await author.call('GET', project.url)).body.project).to.equal(body.project);
        expect((await author.call('GET', `${project.url}/history`)).body.changes[0]).to.include({
            kind: 'edit', revision: body.project.revision
        });
        expect((await test.database.db('asset_uses').where({ project_id: project.id })).length).to.equal(1);

        const svg = drawing('<g id="thumbnail"/>');
        expect((await thumbnail(author, svg, 'image/svg+xml')).body.project.thumbnail[640]).to.equal(`https://pages.example/assets/${hashOf(svg)}`);
        const refused: [Answer, number, string][] = [
            [await thumbnail(author, wav(), 'audio/wav'), 415, 'unsupported_media_type'], [await thumbnail(other, bytes, 'image/webp'), 403, 'forbidden'], [await thumbnail(author, wav(), 'image/png'), 400, 'type_mismatch'],
            [await thumbnail(author, await picture(), 'image/png', { 'if-match': '"1.1"' }), 412, 'revision_conflict'],
            [await author.call('PUT', `/users/me/projects/999999/thumbnail`, bytes, { headers: { 'content-type': 'image/webp' } }), 404, 'not_found']
        ];
        for (const [answer, expected, code] of refused) {
            expect([answer.status, answer.body.code]).to.equal([expected, code]);
        }

        // Nothing of a thumbnail that was not stored stays, and it does not count.
        const { used } = (await other.call('GET', '/users/me/assets')).body.quota;
        expect((await other.call('GET', '/users/me/assets')).body.assets.some(({ id }: { id: string }) => id === hashOf(bytes))).to.be.false();
        expect(Number(used)).to.be.below(5000);
    });
});
