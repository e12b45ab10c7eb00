import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@hapi/code';
import { script } from '@hapi/lab';
import type { Knex } from 'knex';

import { purgeSome } from '../../../src/operations/maintenance/purge';
import { removeUnusedAssets } from '../../../src/operations/maintenance/unused-assets';
import { openAuthor, waiting } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { ageAssets, hashOf, picture, referenceTo } from '../../support/files';
import { notOnCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';

export const lab = script();
const { describe, it, before, beforeEach, after } = lab;

const PICTURES = 6;

/** How many sets there are, which assets are in them, how many projects use them, and how many uses are rows of their own. */
type Noted = Record<'sets' | 'members' | 'users' | 'single', number>;

describe('The set of assets that remixes use', notOnCluster('remixes use no sets there: test/database/citus/remixed-assets.test.ts'), () => {
    let test: TestServer;
    let author: Author;
    let source: MadeProject;
    /** of the pictures in the source, in order */
    let hashes: string[];
    let elements: Made[];

    before(async () => {
        test = await startTestServer();
        author = await openAuthor(test);
    });

    after(() => test.stop());

    const rows = async <Row>(sql: string, ...values: string[]): Promise<Row[]> => (await test.database.db.raw<{ rows: Row[] }>(sql, values)).rows;
    const uses = async ({ id }: Made): Promise<string[]> => (await rows<{ hash: string }>('select hash from used_assets where project_id = ? order by hash', id)).map(({ hash }) => hash);
    const noted = async (): Promise<Noted | undefined> => (await rows<Noted>(`
        select (select count(*)::int from asset_sets) as sets, (select count(*)::int from asset_set_members) as members,
            (select count(*)::int from asset_set_uses) as users, (select count(*)::int from asset_uses) as single`))[0];
    const isThere = async (hash: string): Promise<boolean> => (await rows('select from assets where hash = ?', hash)).length > 0;

    const send = async (): Promise<string> => {
        const bytes = await picture();
        const { status, text } = await author.call('PUT', `/users/me/assets/${hashOf(bytes)}`, bytes, {
            headers: { 'content-type': 'image/png' }
        });
        expect(status, text).to.equal(201);
        return referenceTo(bytes);
    };

    beforeEach(async () => {
        await rows('delete from asset_set_uses; delete from asset_uses; delete from projects');
        expect(await noted()).to.equal({ sets: 0, members: 0, users: 0, single: 0 });
        source = await author.project();
        elements = [];
        hashes = [];
        for (let n = 0; n < PICTURES; n++) {
            const reference = await send();
            elements.push(await author.element(source.page, { type: 'image', attributes: { src: reference } }));
            hashes.push(reference.slice(6));
        }

        hashes.sort();
    });

    /** Makes all assets older, and cleans up. */
    const later = async (days: number): Promise<void> => {
        await ageAssets(test.database.db, days);
        for await (const _step of removeUnusedAssets(test.database.db, test.assets)) {
            // All of it.
        }
    };

    const removed = async ({ id, url }: Made): Promise<void> => {
        expect((await author.call('DELETE', url)).status).to.equal(200);
        await purgeSome(test.database.db, 0, 'project', [id]);
    };

    it('is kept once, and until the last of them is gone for good', async () => {
        const [remix, again] = [await author.remix(source), await author.remix(source)];
        const copy = await author.remix(remix);
        expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: 3, single: PICTURES });
        for (const each of [remix, again, copy]) {
            expect(await uses(each)).to.equal(hashes);
        }

        const { body } = await author.call('GET', '/users/me/assets?count=1');
        expect(body.assets[0].projects).to.equal([source, remix, again, copy].map(({ id }) => id));

        await removed(source);
        await later(8);
        expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: 3, single: 0 });
        expect(await Promise.all(hashes.map(isThere))).to.equal(hashes.map(() => true));

        await removed(remix);
        await removed(again);
        await later(8);
        expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: 1, single: 0 });
        expect(await uses(copy)).to.equal(hashes);
        expect(await Promise.all(hashes.map(isThere))).to.equal(hashes.map(() => true));

        // From when the last use has ended, they are kept for some days.
        await removed(copy);
        expect(await noted()).to.equal({ sets: 0, members: 0, users: 0, single: 0 });
        await later(0);
        expect(await Promise.all(hashes.map(isThere))).to.equal(hashes.map(() => true));
        await later(8);
        expect(await Promise.all(hashes.map(isThere))).to.equal(hashes.map(() => false));
    });

    it('is another one for what is there at another moment, and not for a few', async () => {
        const first = await author.remix(source);
        const reference = await send();
        await author.element(source.page, { type: 'image', attributes: { src: reference } });
        const second = await author.remix(source);
        expect(await noted()).to.equal({ sets: 2, members: 2 * PICTURES + 1, users: 2, single: PICTURES + 1 });
        expect(await uses(first)).to.equal(hashes);
        expect(await uses(second)).to.equal([...hashes, reference.slice(6)].sort());

        // Copies are of what is there now, not of the history.
        for (const { url } of elements.slice(2)) {
            expect((await author.call('PATCH', url, { attributes: {} })).status).to.equal(200);
        }

        expect(await uses(await author.remix(source))).to.have.length(3);
        expect(await noted()).to.equal({ sets: 2, members: 2 * PICTURES + 1, users: 2, single: PICTURES + 4 });
    });

    it('gives way to uses of each when a remix no longer needs all of it', async () => {
        const [remix, other] = [await author.remix(source), await author.remix(source)];
        const { body } = await author.call('GET', `${remix.url}/pages`);
        const [page] = body.pages;
        const [gone] = page.elements;
        const reference = await send();
        await author.element({ ...remix, url: `${remix.url}/pages/${page.id}` }, { attributes: { src: reference } });
        expect((await author.call('DELETE', `${remix.url}/pages/${page.id}/elements/${gone.id}`)).status).to.equal(200);
        await later(0);
        expect(await uses(remix)).to.equal([...hashes, reference.slice(6)].sort());

        const { body: { trash: [entry] } } = await author.call('GET', '/users/me/trash');
        expect((await author.call('DELETE', `/users/me/trash/${entry.id}`)).status).to.equal(200);
        await later(0);
        const left = [...hashes.filter((hash) => gone.attributes.src !== `asset:${hash}`), reference.slice(6)].sort();
        expect(await uses(remix)).to.equal(left);
        expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: 1, single: PICTURES + left.length });
        expect(await uses(other)).to.equal(hashes);
    });

    it('needs assets that exist', async () => {
        const absent = 'ab'.repeat(32);
        // From before there were assets.
        await rows(`alter table elements disable trigger elements_assets_insert`);
        await author.element(source.page, { attributes: { src: `asset:${absent}` } });
        await rows(`alter table elements enable trigger elements_assets_insert`);
        const { status, body } = await author.call('POST', `${source.url}/remixes`, {});
        expect([status, body.code]).to.equal([409, 'asset_missing']);
        expect(body.message).to.contain(absent);
        expect(await noted()).to.equal({ sets: 0, members: 0, users: 0, single: PICTURES });
    });

    it('is not for texts that only look like references', async () => {
        await author.element(source.page, { attributes: { src: `asset:${'x'.repeat(64)}` } });
        expect(await uses(await author.remix(source))).to.equal(hashes);
        expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: 1, single: PICTURES });
    });

    /** Remixes the source while a transaction that has done something is open. */
    const remixBeside = async (work: (trx: Knex.Transaction) => Promise<unknown>, end: 'commit' | 'rollback'): Promise<Answer> => {
        const trx = await test.database.db.transaction();
        await work(trx);
        let answered: Answer | undefined;
        const remixing = author.call('POST', `${source.url}/remixes`, {}).then((answer) => {
            answered = answer;
            return answer;
        });
        while (await waiting(test) === 0) {
            expect(answered?.text).to.be.undefined();
            await sleep(1);
        }

        await trx[end]();
        return remixing;
    };

    for (const end of ['commit', 'rollback'] as const) {
        it(`is there for a remix while its last use ends (${end})`, async () => {
            const first = await author.remix(source);
            const { status, body } = await remixBeside((trx) => trx.raw('delete from asset_set_uses where project_id = ?', [first.id]), end);
            expect(status).to.equal(201);
            expect(await uses(body.project)).to.equal(hashes);
            expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: end === 'commit' ? 1 : 2, single: PICTURES });
        });

        it(`is there for a remix while another one makes it (${end})`, async () => {
            const { status, body } = await remixBeside((trx) => trx.raw('select use_asset_set(99, ?)', [hashes]), end);
            expect(status).to.equal(201);
            expect(await uses(body.project)).to.equal(hashes);
            expect(await noted()).to.equal({ sets: 1, members: PICTURES, users: end === 'commit' ? 2 : 1, single: PICTURES });
        });
    }
});
