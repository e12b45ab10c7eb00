import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';

import { migrationSource } from '../../../migrations';
import { run } from '../../../src/operations/cli/main';
import { INSTANCE, openDatabase } from '../../../src/database/statements/connection';
import { emptyDatabase } from '../../support/database';
import type { TestDatabase } from '../../support/database';
import { fakeHost } from '../../support/host';
import type { FakeHost } from '../../support/host';
import { makeRelease030 } from '../../support/release-0.3.0';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

describe('the rollback command', () => {
    const newest = '0043_classes';
    let database: TestDatabase;
    let host: FakeHost;

    before(async () => {
        database = await emptyDatabase();
        await makeRelease030(database.db);
        const applied: string[] = [];
        while (!applied.includes(newest)) {
            const [, names] = await database.db.migrate.up({ migrationSource, tableName: 'migrations' });
            applied.push(...names);
        }

        await database.db.raw(`
            insert into classes (title, publish, comments, code) select 'Year 5', 'class', true, code from unnest(array['k7pm3xwrd9tz', 'k7pm3xwrd9ty']) code;
            insert into users (username, managed_by) values ('ada', 1), ('ben', null)`);
    });

    after(() => database.drop());

    const admin = (...argv: string[]): Promise<number> => {
        host = fakeHost({ DATABASE_URL: database.url });
        return run(argv, host);
    };

    const classes = async (): Promise<number> => {
        const { rows } = await database.db.raw('select count(*)::int as count from classes');
        return rows[0].count;
    };

    const lost = '  lost: table class_people with 0 rows\n  lost: table classes with 2 rows\n  lost: column users.teacher with 2 values\n  lost: column users.managed_by with 1 value\n  lost: column users.publish with 0 values\n';

    it('only says what would be lost, unless --yes is given', async () => {
        expect(await admin('rollback'), host.err).to.equal(4);
        expect(host.out).to.equal(`${newest} would be taken back.\n${lost}`);
        expect(host.err).to.equal('Nothing was changed. Make a backup, then add --yes to do it.\n');
        expect(await classes()).to.equal(2);
    });

    it('refuses while an instance is connected, also with --yes', async () => {
        for (const name of [INSTANCE, `${INSTANCE} 4bf92f3577b34da6a3ce929d0e0e4736`]) {
            const instance = openDatabase({ url: database.url, pool: 1, name });
            await instance.raw('select 1');
            expect(await admin('rollback', '--yes')).to.equal(1);
            expect(host.err).to.match(/^The database is in use\. Stop the service first\. These are connected:\n {2}process \d+ of PostgreSQL, for 127\.0\.0\.1, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$/);
            expect(host.out).to.equal('');
            await instance.destroy();
        }

        expect(await classes()).to.equal(2);
    });

    it('takes back one migration with --yes, and another one the next time', async () => {
        expect(await admin('rollback', '--yes'), host.err).to.equal(0);
        expect(host.out).to.equal(`${newest} was taken back.\n${lost}`);
        expect(host.err).to.equal('');
        await expect(classes()).to.reject();

        await database.db.raw('delete from users');
        const taken: string[] = [];
        while (await admin('rollback', '--yes') === 0 && !host.out.startsWith('Nothing can be taken back')) {
            taken.push(host.out);
        }

        expect(host.err).to.equal('');
        expect(taken.at(-1)).to.equal('0035_filled_beside was taken back.\n');
        expect(host.out).to.equal('Nothing can be taken back: the database has no schema, or that of 0.3.\n');
    });
});
