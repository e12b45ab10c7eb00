import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Knex } from 'knex';

import { isCluster, notOnCluster } from '../../test/support/on-cluster';
import { startTestServer } from '../../test/support/server';
import type { TestServer } from '../../test/support/server';
import { check } from './check';
import { Dice } from '../../test/support/dice';
import { Load } from './load';
import { closeWire } from './wire';
import type { Target } from './wire';

export const lab = Lab.script();
const { after, before, describe, it } = lab;

const tables = ['users', 'projects', 'pages', 'elements', 'project_stats', 'project_changes', 'versions'];

/** Copies the tables that the tests damage. */
async function save(db: Knex): Promise<void> {
    await db.raw(['create schema saved', ...tables.map((table) => `create table saved.${table} as table ${table}`)].join('; '));
}

/** Restores them, without running triggers. */
async function restore(db: Knex): Promise<void> {
    await db.transaction((trx) => trx.raw([
        'set local session_replication_role = replica',
        ...tables.flatMap((table) => [`delete from ${table}`, `insert into ${table} overriding system value select * from saved.${table}`])
    ].join('; ')));
}

describe('the checker of the fault suite', () => {
    let server: TestServer;
    let load: Load;
    let db: Knex;

    before(async () => {
        server = await startTestServer();
        await server.server.start();
        load = await Load.open({ targets: [{ url: server.server.info.uri, name: 'test', under: new Map(), answered: 0 }], dice: new Dice(7), authors: 2, racers: 2 });
        ({ db } = server.database);
        await load.during(async () => {
            while (load.journal.acknowledged.get('bulk') < 6 || load.journal.acknowledged.total() < 200) {
                await new Promise((resolve) => void setTimeout(resolve, 20));
            }
        });
        if (!isCluster) {
            await save(db);
        }
    });

    after(async () => {
        closeWire();
        await server.stop();
    });

    const findings = async (): Promise<string[]> => {
        await check(load, db);
        return load.journal.findings.splice(0);
    };

    it('finds nothing where nothing is wrong, and has looked at much', async () => {
        expect(await findings()).to.equal([]);
        const checked = await check(load, db);
        expect(Math.min(checked.marks, checked.projects, checked.pages, checked.elements, checked.remixes, checked.points)).to.be.above(0);
        expect(load.journal.statuses.get('503')).to.equal(0);
    });

    it('opens no stream of a server that went down while the project was read', async () => {
        const [target] = load.targets as [Target];
        const { url } = target;
        server.server.events.once('response', () => {
            target.url = null;
        });
        try {
            load.histories?.follower.beginAgain();
            await load.histories?.follower.step();
            expect(target.url).to.be.null();
        }
        finally {
            target.url = url;
        }
    });

    const harms: [string, string, RegExp][] = [
        ['a lost write', `delete from elements where styles ->> 'born' like 'element-%' and deleted_at is null`, /^acknowledged element element-\d+: 0 of 1 rows are there, and should be 1: lost$/m],
        ['half a bulk', `delete from elements where id in (select max(id) from elements where styles ->> 'born' like 'bulk-%')`, /bulk bulk-\d+: \d+ of \d+ rows are there, and should be \d+: half done/],
        ['a write done twice', `insert into elements (page_id, type, styles) select page_id, type, styles from elements where styles ->> 'born' like 'element-%' limit 1`, /element-\d+: 2 of 1 rows are there, and should be 1: done more than once/],
        ['a write that nobody made', `update projects set description = 'somebody' where remixed_from is null and id = (select min(id) from projects)`, /1 rows of somebody are there, which nobody has made/],
        ['half a remix', `delete from elements e using pages g, projects p where g.id = e.page_id and p.id = g.project_id and p.remixed_from is not null`, /remix \d+ is half done/],
        ['a lost remix', `delete from projects where remixed_from is not null`, /remix \d+ of project \d+ is lost/],
        ['a remix too many', `insert into projects (user_id, version, title, remixed_from) select user_id, version, title, remixed_from from projects where remixed_from is not null limit 1`, /remix \d+ of project \d+ is there, though it was not made, or twice/],
        ['a lost edit', `update elements set attributes = '{"text":"as it was"}', revision = revision - 1 where revision > 1`, /^project \d+, page \d+, element \d+: it is .*acknowledged was /m],
        ['a lost name', `update projects set title = 'as it was' where title like 'title-%'`, /its title is "as it was", acknowledged was "title-/],
        ['a page that went back', `update pages set x = x + 1000`, /it is \[\d+,-?\d+,.*acknowledged was \[/],
        ['a lost race', `alter table projects disable trigger user; update projects set revision = 1, counted_revision = 1 where title like 'race-%'; alter table projects enable trigger user`, /is at revision 1: acknowledged were \d+ edits/],
        ['a race counted twice', `update projects set revision = revision + 1, counted_revision = counted_revision + 1 where title like 'race-%'`, /is at revision \d+: acknowledged were \d+ edits/],
        ['a lost view', `update project_stats set views = 0`, /project \d+ has \{.*"views":0.*acknowledged were \d+ views/],
        ['a deletion undone', `update pages set deleted_at = null where deleted_at is not null; update elements set deleted_at = null where deleted_at is not null`, /was deleted, and is answered 200|is there, though nobody made it or it was deleted/],
        ['a wrong count', `update pages set element_count = 999`, /a page that miscounts its elements/],
        ['a change that is lost', `delete from project_changes where (project_id, revision) in (
            select project_id, revision from project_changes where from_revision > 0 and project_id in (select id from projects where description like 'history-%') order by revision limit 1)`,
        /a gap between changes: .*\n[^]*: after the change from \d+ on comes one to \d+/],
        ['an earlier value that is lost', `delete from versions where project_id in (select id from projects where description like 'history-%')`, /: revision \d+ was \{.*, and is answered 200 /],
        ['a last change that is lost', `delete from project_changes c using projects p where p.id = c.project_id and p.revision = c.revision and p.description like 'history-%'`,
            /a last change that is not the present/],
        ['a write that no client was told of', `update projects set title = 'unknown' where description like 'history-%'`, /a mirror is .*, and the project is /],
        ['a lost account', `update users set username = 'somebody-else' where id = (select min(id) from users)`, /the account user-\d+ is lost/]
    ];
    for (const [what, sql, words] of harms) {
        it(`finds ${what}`, notOnCluster('no SQL puts all shards back as they were'), async () => {
            await db.raw(sql);
            expect((await findings()).join('\n')).to.match(words);
            await restore(db);
            expect(await findings()).to.equal([]);
        });
    }
});
