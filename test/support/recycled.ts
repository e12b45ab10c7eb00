import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Server } from '@hapi/hapi';
import type { Knex } from 'knex';

import { until } from './host';

/** Something that is kept, and how it is ended. */
export interface Kept<Thing> {
    thing: Thing;
    end: () => Promise<void>;
}

/** Things that a test file no longer needs, for the next that wants the same. */
export class Shelf<Thing> {
    readonly #most: number;
    /** the one that was put here last is the last */
    #kept: (Kept<Thing> & { key: string })[] = [];

    /** @param most how many are kept; the one that has been here longest is ended */
    constructor(most: number) {
        this.#most = most;
    }

    take(key: string): Kept<Thing> | undefined {
        const at = this.#kept.findLastIndex((one) => one.key === key);
        return at === -1 ? undefined : this.#kept.splice(at, 1)[0];
    }

    async put(key: string, kept: Kept<Thing>): Promise<void> {
        this.#kept.push({ key, ...kept });
        for (const { end } of this.#kept.splice(0, this.#kept.length - this.#most)) {
            await end();
        }
    }
}

/** Notes whether a test changes what a server does, or lets it listen. @returns whether none has */
export function watchChanges(server: Server): () => boolean {
    let isChanged = false;
    const watch = <Name extends string>(of: Record<Name, (...args: never[]) => unknown>, name: Name): void => {
        const original = of[name].bind(of);
        Object.assign(of, {
            [name]: (...args: never[]) => {
                isChanged = true;
                return original(...args);
            }
        });
    };

    (['ext', 'route', 'register', 'start', 'stop'] as const).forEach((name) => watch(server, name));
    watch(server.events, 'on');

    return () => !isChanged;
}

/** Writes what a server keeps in memory for later, as it does when it stops. It is hapi's own way of calling extensions, which it does not document. */
export async function flush(server: Server & { _core?: { _invoke(point: 'onPostStop'): Promise<void> } }): Promise<void> {
    await server._core?._invoke('onPostStop');
}

/** Removes all files below a folder. */
export async function emptyFolder(folder: string): Promise<void> {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isDirectory()) {
            await rm(join(entry.parentPath, entry.name), { force: true });
        }
    }
}

/** What a database is like that nobody has used: how its catalogs look, and the rows that migrations insert, by table, as JSON. */
export interface Unused {
    catalogs: string;
    rows: { table: string; rows: string }[];
}

/** The catalogs as one short text, which moves with every change of the schema, and not with the truncation of a table. */
const catalogsOf = `select concat_ws(' ',
    (select md5(string_agg(oid || ' ' || relkind::text || coalesce(reloptions::text, ''), ',' order by oid)) from pg_class where relnamespace = 'public'::regnamespace),
    (select md5(string_agg(oid || ' ' || xmin::text, ',' order by oid)) from pg_proc where pronamespace = 'public'::regnamespace),
    (select md5(string_agg(oid || ' ' || tgenabled::text, ',' order by oid)) from pg_trigger),
    (select md5(string_agg(oid || ' ' || xmin::text, ',' order by oid)) from pg_constraint where connamespace = 'public'::regnamespace),
    (select md5(string_agg(concat_ws(' ', attrelid, attnum, attisdropped, attnotnull, atttypid, attstattarget), ',' order by attrelid, attnum)) from pg_attribute
        where attnum > 0 and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)),
    (select md5(string_agg(oid || ' ' || coalesce(nspacl::text, ''), ',' order by oid)) from pg_namespace where nspname not like 'pg\\_%'),
    (select md5(string_agg(setrole || array_to_string(setconfig, ' '), ',' order by setrole)) from pg_db_role_setting where setdatabase in (0, (select oid from pg_database where datname = current_database())))
) as catalogs`;

const tables = (where: string): string => `select relname as table from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0 and ${where} order by relname`;

/** Looks at a database right after it was cloned. */
export async function look(db: Knex): Promise<Unused> {
    const { rows: [{ catalogs }] } = await db.raw(catalogsOf);
    const { rows: filled } = await db.raw<{ rows: { table: string }[] }>(tables(`relname not like 'migrations%'`));
    const rows = [];
    for (const { table } of filled) {
        const { rows: [{ json }] } = await db.raw(`select coalesce(json_agg(t), '[]')::text as json from "${table}" t`);
        rows.push({ table, rows: json });
    }

    return { catalogs, rows };
}

/** Bytes of a table up to which its rows are deleted: to truncate it would make all connections plan again. */
const FEW = 2 ** 18;

/**
 * Makes a database as it was when it was cloned, but for its sequences, so that no id comes twice.
 * @returns false if it cannot: somebody has changed the schema, or the role may not turn triggers off
 */
export async function makeUnused(db: Knex, unused: Unused): Promise<boolean> {
    try {
        // What a test began and did not wait for.
        await until(() => db.client.pool.numUsed() === 0, 2000);
        const { rows: [{ catalogs }] } = await db.raw(catalogsOf);
        if (catalogs !== unused.catalogs) {
            return false;
        }

        await db.raw(`do $$
            declare it record;
            begin
                set local session_replication_role = replica;
                set local lock_timeout = '5s';
                for it in ${tables(`relname not like 'migrations%'`)} loop
                    if pg_relation_size(format('%I', it.table)::regclass) > ${FEW} then
                        execute format('truncate %I cascade', it.table);
                    else
                        execute format('delete from %I', it.table);
                    end if;
                end loop;
                ${unused.rows.map(({ table, rows }) => `insert into "${table}" overriding system value select * from json_populate_recordset(null::"${table}", '${rows.replaceAll('\'', '\'\'')}');`).join('\n')}
            end $$`);
        return true;
    }
    catch {
        return false;
    }
}
