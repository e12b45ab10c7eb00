import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { removeUnknown } from '../../../src/files/assets/register';
import type { AssetStorage } from '../../../src/files/assets/storage';
import { transaction } from '../../../src/database/statements/transaction';
import { removeUnusedAssets } from '../../../src/operations/maintenance/unused-assets';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { MAX_USED_ASSETS } from '../../../src/limits';
import { openAuthor } from '../../support/authoring';
import type { Author } from '../../support/authoring';
import { ageAssets, hashOf, picture, referenceTo } from '../../support/files';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, after } = lab;

const nowhere = `asset:${'ab'.repeat(32)}`;

describe('References to assets', () => {
    let test: TestServer;
    let author: Author;

    before(async () => {
        test = await startTestServer();
        author = await openAuthor(test);
    });

    after(() => test.stop());

    const send = async (by = author): Promise<{ hash: string; reference: string }> => {
        const bytes = await picture();
        const { status, text } = await by.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        expect(status, text).to.equal(201);
        return { hash: hashOf(bytes), reference: referenceTo(bytes) };
    };

    const sendMany = async (count: number): Promise<{ hash: string; reference: string }[]> => {
        const sent = [];
        while (sent.length < count) {
            sent.push(await send());
        }

        return sent;
    };

    const rows = async <Row>(sql: string, ...values: string[]): Promise<Row[]> => (await test.database.db.raw<{ rows: Row[] }>(sql, values)).rows;
    const uses = async (project: string): Promise<string[]> => (await rows<{ hash: string }>(`select hash from ${isCluster ? 'asset_uses' : 'used_assets'} where project_id = ? order by hash`, project)).map(({ hash }) => hash);
    /** Waits until it is gone for good: what was read a moment ago is kept for some seconds. */
    const isGone = async (hash: string): Promise<void> => {
        expect(await test.assets.size(hash)).to.be.undefined();
        while (await isThere(hash)) {
            await sleep(50);
        }
    };

    const isThere = async (hash: string): Promise<boolean> => (await test.call('GET', `/assets/${hash}`)).status === 200;
    const isMissing = ({ status, body }: Answer, hash = nowhere.slice(6)): void => {
        expect([status, body.code]).to.equal([409, 'asset_missing']);
        expect(String(body.message)).to.contain(hash);
    };

    /** Makes all assets older, and cleans up. */
    const later = async (days = 8): Promise<void> => {
        await ageAssets(test.database.db, days);
        await rows('update assets set created_at = created_at - make_interval(days => ?)', String(days));
        for await (const _step of removeUnusedAssets(test.database.db, test.assets)) {
            // All of it.
        }
    };

    /** Removes assets also if they are used, which a cluster does not let happen. */
    const remove = async (condition: string): Promise<void> => {
        await (isCluster && rows('delete from asset_uses; delete from ended_asset_uses'));
        await rows(`delete from assets where ${condition}`);
    };

    it('are noted by every route that writes, and refused if they lead nowhere', async () => {
        const project = await author.project();
        const bad = { attributes: { deep: [{ src: nowhere }] } };
        const element = await author.element(project.page);
        const count = async (): Promise<unknown> => (await rows('select (select count(*) from elements) as elements, (select count(*) from pages) as pages, (select sum(revision) from projects) as revisions'))[0];
        const state = await count();
        isMissing(await author.call('POST', `${project.page.url}/elements`, { type: 'image', ...bad }));
        isMissing(await author.call('PATCH', element.url, bad));
        isMissing(await author.call('PATCH', element.url, { styles: { background: nowhere } }));
        isMissing(await author.call('PATCH', project.page.url, { styles: { background: nowhere } }));
        isMissing(await author.call('POST', `${project.url}/pages`, { x: 5, y: 5, styles: { background: nowhere } }));
        for (const [actions, at] of [
            [[{ type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'text' } }, { type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'image', ...bad } }], 1],
            [[{ type: 'elements', method: 'update', data: { id: element.id, ...bad } }, { type: 'pages', method: 'remove', data: { id: '999999' } }], 0],
            [[{ type: 'pages', method: 'update', data: { id: project.page.id, styles: { a: nowhere } } }], 0]
        ] as const) {
            const answer = await author.bulk(actions);
            isMissing(answer);
            expect(answer.body.action).to.equal(at);
        }

        expect((await author.bulk([{ type: 'pages', method: 'remove', data: { id: '999999' } }, { type: 'elements', method: 'update', data: { id: element.id, ...bad } }])).status).to.equal(404);
        expect(await count()).to.equal(state);
        expect(await uses(project.id)).to.equal([]);

        const files = await sendMany(6);
        const references = files.map(({ reference }) => reference);
        const hashes = files.map(({ hash }) => hash).sort();
        await author.element(project.page, { type: 'image', attributes: { src: references[0] } });
        expect((await author.call('PATCH', element.url, { attributes: { src: references[1], text: `asset:${'0'.repeat(64)} in a text` }, styles: { [String(references[1])]: 1 } })).status).to.equal(200);
        expect((await author.call('PATCH', project.page.url, { styles: { background: references[2] } })).status).to.equal(200);
        await author.page(project, { x: 1, y: 0, styles: { background: String(references[3]).toUpperCase().replace('ASSET', 'asset') } });
        expect((await author.bulk([
            { type: 'elements', method: 'update', data: { id: element.id, styles: { background: references[4] } } },
            { type: 'elements', method: 'create', data: { pageId: project.page.id, type: 'image', attributes: { list: [references[5], references[0]] } } }
        ])).status).to.equal(200);
        expect(await uses(project.id)).to.equal(hashes);

        // A remix copies what is there now.
        const other = await openAuthor(test);
        const remix = await other.remix(project);
        expect(await uses(remix.id)).to.equal(hashes.filter((hash) => hash !== files[1]?.hash || true));
    });

    it('are whole strings only, however they are written', async () => {
        const project = await author.project();
        const hash = nowhere.slice(6);
        for (const text of [`${nowhere} `, ` ${nowhere}`, `"asset:${hash}"`, `x"asset:${hash}`, `asset:${hash}0`, `asset:${hash.slice(1)}`, `asset:${'g'.repeat(64)}`, `\\"asset:${hash}`, `asset:"asset:`]) {
            await author.element(project.page, { attributes: { text } });
        }

        for (const body of [`{"type":"a","attributes":{"a":"\\u0061sset:${hash}"}}`, `{"type":"a","attributes":{ "a" : [ "asset\\u003a${hash}" ] }}`, `{"type":"a","attributes":{"a\\\\":"asset:${hash}"}}`]) {
            isMissing(await author.call('POST', `${project.page.url}/elements`, body, { headers: { 'content-type': 'application/json' } }));
        }
    });

    it('fail one edit of a batch alone', async () => {
        const elements = await Promise.all(Array.from({ length: 8 }, async () => author.element((await author.project()).page)));
        const { reference } = await send();
        const answers = await Promise.all(elements.map(({ url }, n) => author.call('PATCH', url, { attributes: { src: [nowhere, reference, 'text', nowhere, 'text', reference, 'text', 'text'][n] } })));
        expect(answers.map(({ status }) => status)).to.equal([409, 200, 200, 409, 200, 200, 200, 200]);
    });

    it('keep an asset in the history, in the trash and in thumbnails, and no longer', async () => {
        const [now, past, trashed, shown, none, recent] = [await send(), await send(), await send(), await send(), await send(), await send()];
        const project = await author.project({ thumbnail: { 320: `https://here.example/assets/${shown.hash}?width=320`, 640: 'https://there.example/assets/x' } });
        const element = await author.element(project.page, { attributes: { src: past.reference } });
        expect((await author.call('PATCH', element.url, { attributes: { src: now.reference } })).status).to.equal(200);
        const removed = await author.element(project.page, { attributes: { src: trashed.reference } });
        expect((await author.call('DELETE', removed.url)).status).to.equal(200);
        await later();
        await test.database.db.raw('select 1');
        expect(await Promise.all([now, past, trashed, shown, none, recent].map(({ hash }) => isThere(hash)))).to.equal([true, true, true, true, false, false]);
        expect(await test.assets.size(none.hash)).to.be.undefined();

        // Undo and restore find everything.
        const history = await author.call('GET', `${project.url}/history?count=50`);
        expect((await author.call('POST', `${project.url}/history/${history.body.changes.at(-2).revision}/restore`)).status).to.equal(200);

        // The trash is emptied, the history thinned out: what only they showed goes 7 days later.
        const fresh = await author.call('GET', '/users/me/trash');
        for (const { id } of fresh.body.trash) {
            await author.call('DELETE', `/users/me/trash/${id}`);
        }

        await later(0);
        expect(await uses(project.id)).to.equal([now, past, shown].map(({ hash }) => hash).sort());
        expect(await isThere(trashed.hash)).to.be.true();
        await later();
        await isGone(trashed.hash);

        // With the project, for good, all of its uses end.
        expect((await author.call('DELETE', project.url)).status).to.equal(200);
        await test.database.db.raw(`update projects set deleted_at = deleted_at - interval '100 days' where id = ?`, [project.id]);
        await test.database.db.raw(`update trash set deleted_at = deleted_at - interval '100 days'`);
        await maintain(test.database.db, { historyDays: 30, historyMaxBytes: 1e9, trashDays: 30, assets: test.assets }, new AbortController().signal, true);
        expect(await uses(project.id)).to.equal([]);
        expect(await isThere(now.hash)).to.be.true();
        await later();
        await Promise.all([now, past, shown].map(({ hash }) => isGone(hash)));
    });

    it('of a project that is being written to are looked at the next time', async () => {
        const { hash, reference } = await send();
        const project = await author.project();
        const element = await author.element(project.page, { attributes: { src: reference } });
        await author.call('DELETE', element.url);
        await test.database.db.raw('delete from elements where id = ?', [element.id]);
        await test.database.db.raw('delete from versions where project_id = ?', [project.id]);
        const writer = await test.database.db.transaction();
        await writer.raw('select from projects where id = ? for no key update', [project.id]);
        await later(0);
        expect(await uses(project.id)).to.equal([hash]);
        await writer.rollback();
        await later(0);
        expect(await uses(project.id)).to.equal([]);
    });

    it('are compared with the bytes: what no asset has is removed, what an asset has lost is sent again', async () => {
        const sent = (await sendMany(5)).sort((one, other) => (one.hash < other.hash ? -1 : 1));
        const project = await author.project();
        await author.element(project.page, { attributes: { list: sent.map(({ reference }) => reference) } });
        const hashes = sent.map(({ hash }) => hash);
        const missing = async (): Promise<string[]> => (await author.call('POST', '/users/me/assets/missing', { ids: hashes })).body.missing;
        const fileOf = (hash: string): string => join(test.assets.incoming, '..', hash.slice(0, 2), hash);
        const age = async (...names: string[]): Promise<void> => {
            for (const name of names) {
                await utimes(fileOf(name), new Date(0), new Date(0));
            }
        };

        // One before the last that is there, one after it, and what an upload left that was not completed.
        const [lost, kept, late] = [hashes[1], [hashes[0], hashes[2], hashes[3]].map(String), hashes[4]];
        const unknown = '00'.repeat(32);
        await mkdir(join(fileOf(unknown), '..'), { recursive: true });
        await writeFile(fileOf(unknown), '');
        await age(...kept, unknown);
        await Promise.all([lost, late].map((hash) => rm(fileOf(String(hash)))));
        await later();
        expect((await missing()).sort()).to.equal([lost, late]);
        expect(await test.assets.size(unknown)).to.be.undefined();
        expect(await Promise.all(kept.map(isThere))).to.equal([true, true, true]);
    });

    it('renew an asset by sending it or asking for it again', async () => {
        const bytes = await picture();
        const put = (): Promise<Answer> => author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, { headers: { 'content-type': 'image/png' } });
        await put();
        for (const renew of [put, () => author.call('POST', '/users/me/assets/missing', { ids: [hashOf(bytes)] })]) {
            await test.database.db.raw(`update assets set unused_since = unused_since - interval '6 days 23 hours'`);
            await renew();
            await later(5);
            expect(await isThere(hashOf(bytes))).to.be.true();
        }

        await later();
        await isGone(hashOf(bytes));
        expect((await put()).status).to.equal(201);
    });

    it('stay if they turn out to be known when they are about to be removed', async () => {
        const [sent] = await sendMany(1);
        expect(await transaction(test.database.db, undefined, (trx) => removeUnknown(trx, test.assets, [String(sent?.hash)]))).to.equal(0);
        expect(await isThere(String(sent?.hash))).to.be.true();
    });

    it('are at most so many in a project', async () => {
        const project = await author.project();
        await test.database.db.raw(`insert into assets (hash, type, size) select lpad(to_hex(n), 64, '0'), 'audio/wav', 1 from generate_series(1, ${MAX_USED_ASSETS + 1}) n`);
        const list = Array.from({ length: MAX_USED_ASSETS + 1 }, (_one, n) => `asset:${(n + 1).toString(16).padStart(64, '0')}`);
        const element = await author.element(project.page, { attributes: { list: list.slice(1) } });
        const { status, body } = await author.call('PATCH', element.url, { attributes: { list: list.slice(0, 1) } });
        expect([status, body.code]).to.equal([409, 'asset_limit']);
        await remove('size = 1');
    });

    it('are safe from a removal whose connection to the database is lost, and its locks with it', async () => {
        const hashes = (await sendMany(3)).map(({ hash }) => hash).sort();
        await rows('delete from sent_assets');
        await remove('true');
        const removed = new Set<string>();
        const losing: AssetStorage = { ...test.assets, remove: async (name) => {
            removed.add(name.slice(0, 64));
            await rows(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`);
        } };
        await expect(transaction(test.database.db, undefined, (trx) => removeUnknown(trx, losing, hashes))).to.reject(/terminat|connection error|EPIPE/);
        expect([...removed]).to.equal(hashes.slice(0, 1));
    });

    it('never lead nowhere, while assets are removed and written to at once', async () => {
        const project = await author.project();
        const elements = await Promise.all(Array.from({ length: 6 }, () => author.element(project.page)));
        const files = await sendMany(12);
        let ended = false;
        const removing = (async () => {
            while (!ended) {
                await later();
            }
        })();
        const outcomes = new Set<number>();
        for (let round = 0; round < 6; round++) {
            await Promise.all(elements.map(async ({ url }, n) => {
                outcomes.add((await author.call('PATCH', url, { attributes: { src: files[(n + round) % 12]?.reference } })).status);
            }));
        }

        ended = true;
        await removing;
        expect([...outcomes].every((status) => status === 200 || status === 409)).to.be.true();
        const broken = await rows(`select e.id from elements e, assets_in(e.attributes::text) as h where e.page_id = ? and h not in (select hash from assets)`, project.page.id);
        expect(broken).to.equal([]);
        for (const hash of await uses(project.id)) {
            expect(await isThere(hash)).to.be.true();
        }
    });
});
