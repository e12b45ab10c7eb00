import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { readConfig } from '../../../src/config/index';
import { openStore, placeOfDatabase } from '../../../src/database/statements/open';

export const lab = Lab.script();
const { describe, it } = lab;

describe('the configured database', () => {
    it('is logged without its password', () => {
        const place = (url: string): string => placeOfDatabase(readConfig({ DATABASE_URL: url }));
        expect(place('postgres://me:secret@db.example:5433/my%20pages')).to.equal('the database my pages at db.example:5433 (DATABASE_URL)');
        expect(place('postgresql:///pages')).to.equal('the database pages at localhost:5432 (DATABASE_URL)');
        expect(place('')).to.equal('the embedded database in .data');
    });

    it('is not stopped if it is not the embedded one', async () => {
        const config = readConfig({ DATABASE_URL: 'postgres://127.0.0.1:1/pages' });
        const store = await openStore(config, { share: false, log: () => undefined });
        expect(store.embedded).to.be.false();
        expect(store.abandon()).to.be.undefined();
        await store.close();
    });
});
