import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { isOwn, openOwnStorage } from '../../../src/files/assets/own-storage';
import { openStorage } from '../../../src/files/assets/open-storage';
import { migrate } from '../../../src/database/statements/migrate';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

/** Programs with places of their own are tested in test/operations/process/own-storage.test.ts. */
describe('the place for pictures and sounds', () => {
    let root: string;
    let database: TestDatabase;

    before(async () => {
        root = await mkdtemp(join(tmpdir(), 'pagewright-place-'));
        database = await emptyDatabase();
    });

    after(async () => {
        await database.drop();
        await rm(root, { recursive: true });
    });

    const folder = (name: string): string => join(root, name);

    it('is decided by one instance where several with different folders start first', async () => {
        await migrate(database.db);
        const open = (name: string): ReturnType<typeof openStorage> => openStorage({ assetsUrl: null, dataDir: folder(name) });
        const storages = await Promise.all(['a', 'b', 'c', 'd'].map(open));
        const own = await Promise.all([...storages, ...storages].map((storage) => isOwn(database.db, storage)));
        expect(own.filter(Boolean).length, String(own)).to.equal(2);
        expect(own.slice(4)).to.equal(own.slice(0, 4));
        expect(await Promise.all(storages.map(async (storage) => await storage.owner() !== undefined))).to.equal(own.slice(0, 4));

        // Killed after it had written its mark, and before the database knew: again one of them, whichever comes first.
        for (let round = 0; round < 10; round++) {
            await database.db.raw('update asset_owner set place = null');
            const again = await Promise.all(storages.map((storage) => isOwn(database.db, storage)));
            expect(again.filter(Boolean).length).to.be.at.most(1);
            const { rows: [{ place }] } = await database.db.raw('select place from asset_owner');
            const marks = await Promise.all(storages.map((storage) => storage.owner()));
            expect(marks.filter((mark) => mark === place).length).to.equal(1);
        }

        // What belongs to another database can be shared with it. Nothing is removed there.
        const other = await open('other');
        await other.setOwner('another');
        await database.db.raw('update asset_owner set place = null');
        expect(await isOwn(database.db, other)).to.be.false();
        await openOwnStorage(database.db, { assetsUrl: null, dataDir: folder('other') });
        await expect(openOwnStorage(database.db, { assetsUrl: null, dataDir: folder('a') })).to.reject(/^The pictures and sounds of this database are not in .*a\/assets/);
        expect(await readFile(join(folder('other'), 'assets', 'database'), 'utf8')).to.equal('another');
    });
});
