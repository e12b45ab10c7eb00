import { expect } from '@hapi/code';
import { script } from '@hapi/lab';

import { storedName } from '../../../src/files/assets/storage';
import { maintain } from '../../../src/operations/maintenance/jobs';
import { openAuthor } from '../../support/authoring';
import type { Author, Made, MadeProject } from '../../support/authoring';
import { distributedDatabase } from '../../support/cluster';
import { cloneDatabase } from '../../support/database';
import { hashOf, picture } from '../../support/files';
import { isCluster } from '../../support/on-cluster';
import { startTestServer } from '../../support/server';
import type { Answer, TestServer } from '../../support/server';
import { unzip } from '../../support/unzip';

export const lab = script();
const { after, before, describe, it } = lab;

const PICTURES = 6;

/** On a cluster if there is one (CITUS_DATABASE_URL), or else on what stands in for it. */
describe('Assets of remixes on a cluster', () => {
    let server: TestServer;
    let ada: Author;
    let eve: Author;
    let source: MadeProject;
    /** of the pictures in the source, in order */
    let hashes: string[];
    let bytes: number;

    const rows = async <Row>(sql: string, ...values: string[]): Promise<Row[]> => (await server.database.db.raw<{ rows: Row[] }>(sql, values)).rows;
    const uses = async ({ id }: Made): Promise<string[]> => (await rows<{ hash: string }>('select hash from asset_uses where project_id = ?', id)).map(({ hash }) => hash).sort();
    const tidy = (): Promise<boolean> => maintain(server.database.db, { historyDays: 0, historyMaxBytes: 0, trashDays: 0, assets: server.assets }, new AbortController().signal, true);
    /** Maintains it in 8 days. */
    const later = async (): Promise<void> => {
        await rows(`update assets set unused_since = unused_since - interval '8 days'`);
        await rows(`update ended_asset_uses set ended_at = ended_at - interval '8 days'`);
        await tidy();
    };

    const stored = (): Promise<boolean[]> => Promise.all(hashes.map(async (hash) => await server.assets.size(storedName(hash)) !== undefined));
    const assetsOf = (author: Author): Promise<Answer> => author.call('GET', '/users/me/assets?count=100');

    before(async () => {
        server = await startTestServer({ database: isCluster ? await cloneDatabase() : await distributedDatabase(), config: { assetQuota: 100_000 } });
        [ada, eve] = [await openAuthor(server, 'ada'), await openAuthor(server, 'eve')];
        source = await ada.project();
        const pictures = await Promise.all(Array.from({ length: PICTURES }, () => picture()));
        for (const one of pictures) {
            expect((await ada.call('PUT', `/users/me/assets/${hashOf(one)}`, one, { headers: { 'content-type': 'image/png' } })).status).to.equal(201);
            await ada.element(source.page, { type: 'image', attributes: { src: `asset:${hashOf(one)}` } });
        }

        hashes = pictures.map(hashOf).sort();
        bytes = pictures.reduce((sum, { length }) => sum + length, 0);
    });

    after(() => server.stop());

    it('are noted for each of them, are in the quota of who sent them alone, go along in an export, and stay for 7 days after the last use', async () => {
        const [remix, own] = [await eve.remix(source), await ada.remix(source)];
        const copy = await eve.remix(remix);
        for (const each of [remix, own, copy]) {
            expect(await uses(each)).to.equal(hashes);
        }

        const sent = await assetsOf(ada);
        expect(sent.body.quota).to.equal({ used: bytes, limit: 100_000 });
        expect(sent.body.assets.map(({ projects }: { projects: string[] }) => projects)).to.equal(hashes.map(() => [source.id, own.id]));
        expect((await assetsOf(eve)).body).to.include({ assets: [], quota: { used: 0, limit: 100_000 } });

        const { rawPayload } = await server.server.inject({ url: `${remix.url}/export`, headers: { authorization: `token ${eve.token}` } });
        const files = [...(await unzip(rawPayload)).entries()];
        expect(files.filter(([, file]) => hashes.includes(hashOf(file))).length).to.equal(PICTURES);

        // The uses of a project end one by one, and with the project.
        const { body: { pages: [page] } } = await eve.call('GET', `${remix.url}/pages`);
        const [gone] = page.elements;
        expect((await eve.call('DELETE', `${remix.url}/pages/${page.id}/elements/${gone.id}`)).status).to.equal(200);
        for (const [author, project] of [[ada, source], [ada, own]] as const) {
            expect((await author.call('DELETE', project.url)).status).to.equal(200);
        }

        await tidy();
        expect(await uses(remix)).to.equal(hashes.filter((hash) => gone.attributes.src !== `asset:${hash}`));
        expect(await uses(copy)).to.equal(hashes);
        await later();
        expect(await stored()).to.equal(hashes.map(() => true));

        for (const { url } of [remix, copy]) {
            expect((await eve.call('DELETE', url)).status).to.equal(200);
        }

        await tidy();
        expect([await uses(remix), await uses(copy)]).to.equal([[], []]);
        expect(await stored()).to.equal(hashes.map(() => true));
        await later();
        expect(await stored()).to.equal(hashes.map(() => false));
        expect((await assetsOf(ada)).body).to.include({ assets: [], quota: { used: 0, limit: 100_000 } });
    });
});
