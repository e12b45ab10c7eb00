import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import type { Knex } from 'knex';

import { openDatabase } from '../../src/database/statements/connection';
import { startEmbedded } from '../../src/database/embedded';
import type { Embedded } from '../../src/database/embedded';
import { schemaText } from '../../src/database/schema';
import { migrate } from '../../src/database/statements/migrate';
import { fill, fillText, richProjects } from './fill';

/** A filled database. */
export interface Store {
    url: string;
    projects: number;
    db: Knex;
    close(): Promise<void>;
    /** Stops the database at process exit, when waiting is impossible. */
    abandon(): void;
}

/** Bytes that a filled database takes for each project, including its write-ahead log and what the scenarios write; and a fixed part. */
const BYTES_A_PROJECT = 2500;
const BYTES_BESIDES = 3 * 1024 ** 3;

/** The table that describes how a database was filled, outside of the service's schema. */
const mark = 'bench.filled';

/** Identifies the schema and the code that filled a database. */
const edition = createHash('sha256').update(schemaText()).update(fillText).digest('hex').slice(0, 16);

export const folderOf = (projects: number): string => join('.data', `bench-${projects}`);

/** A message if there is no room to fill a database; undefined if there is, or if it is filled already. */
export function lackOfRoom(projects: number): string | undefined {
    if (existsSync(folderOf(projects))) {
        return undefined;
    }

    mkdirSync('.data', { recursive: true });
    const { bavail, bsize } = statfsSync('.data');
    const [needed, free] = [projects * BYTES_A_PROJECT + BYTES_BESIDES, bavail * bsize].map((bytes) => bytes / 1024 ** 3);
    return needed !== undefined && free !== undefined && needed > free
        ? `${projects} projects need about ${needed.toFixed(1)} GiB, and ${free.toFixed(1)} GiB are free`
        : undefined;
}

/**
 * Opens the database at the URL, or the embedded one of that size, and fills it if it is new.
 * @throws Error if the one at the URL contains something else
 */
export async function openStore(projects: number, url: string | null, log: (message: string) => void, opened: (embedded: Embedded) => void): Promise<Store> {
    const embedded = url === null ? await startEmbedded({ dir: folderOf(projects), log }) : null;
    if (embedded !== null) {
        opened(embedded);
    }

    const place = url ?? embedded?.url ?? '';
    const db = openDatabase({ url: place, pool: 2 });
    const store = {
        url: place, projects, db,
        close: async () => {
            await db.destroy();
            await embedded?.stop();
        },
        abandon: () => embedded?.stopNow()
    };
    try {
        await prepare(db, projects, embedded !== null, log);
        return store;
    }
    catch (error) {
        await store.close();
        throw error;
    }
}

async function prepare(db: Knex, projects: number, ours: boolean, log: (message: string) => void): Promise<void> {
    const { filled, empty } = await stateOf(db);
    if (filled?.projects === projects && filled.edition === edition) {
        await tidy(db, projects);
        return;
    }

    if (!empty) {
        if (!ours) {
            throw new Error(filled?.edition === edition
                ? `The database at --url was filled with ${filled.projects} projects: give that as --projects, or an empty one.`
                : 'The database at --url holds something that this bench did not make, or did not finish. Give it an empty one.');
        }

        log('the database was filled by other code or migrations, or only in part: creating it again');
        await db.raw('drop schema public cascade; create schema public; drop schema if exists bench cascade');
    }

    await migrate(db);
    log(`filling a database with ${projects} projects; it is kept for the next run`);
    await fill(db, projects, log);
    await tidy(db, projects);
    await db.raw(`create schema bench; create table ${mark} (projects integer not null, edition text not null)`);
    await db.raw(`insert into ${mark} values (?, ?)`, [projects, edition]);
}

interface State {
    /** null if it was never completely filled */
    filled: { projects: number; edition: string } | null;
    empty: boolean;
}

async function stateOf(db: Knex): Promise<State> {
    const { rows: [{ marked, empty } = { marked: false, empty: true }] } = await db.raw<{ rows: { marked: boolean; empty: boolean }[] }>(`
        select exists (select from information_schema.columns where table_schema = 'bench' and table_name = 'filled' and column_name = 'edition') as marked,
            not exists (select from pg_class where relnamespace = 'public'::regnamespace) as empty`);
    if (!marked) {
        return { filled: null, empty };
    }

    const { rows: [filled] } = await db.raw<{ rows: { projects: number; edition: string }[] }>(`select projects, edition from ${mark}`);
    return { filled: filled ?? null, empty };
}

/** Deletes what scenarios have created, and leaves no background work for the next one. */
export async function tidy(db: Knex, projects: number): Promise<void> {
    await db.raw('delete from projects where id > ?', [projects]);
    // They have no foreign keys.
    await db.raw('delete from project_changes where project_id > ?', [projects]);
    await db.raw('delete from versions where project_id > ?', [projects]);
    await db.raw('truncate project_views');
    await db.raw('update project_stats set remixes = 0 where remixes > 0');
    await db.raw('vacuum analyze projects, pages, elements, project_changes, versions, project_stats, project_views, project_tags, featured_projects');
    // Needs a permission that the user may not have at `--url`.
    await db.raw('checkpoint').catch(() => undefined);
}

/** The ids of projects with 20 pages of 10 elements, from the first to the last one. */
export const richRange = (projects: number): [number, number] => [4, 3 + richProjects(projects)];
