import { zipOf } from '../zip/write-zip';
import type { NewEntry } from '../zip/write-zip';
import type { AssetStorage } from '../assets/storage';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { readNow } from '../../database/statements/snapshot';
import type { Read } from '../../database/statements/snapshot';
import { runAlways } from '../../database/statements/statement';
import type { Statement } from '../../database/statements/statement';
import { FORMAT } from '../format/schema';
import { MAX_ID } from '../../api/request/schema';
import { WHOLE } from '../../api/request/short-lists';
import { findAddress } from '../../accounts/mail/queries';
import { listTokens } from '../../accounts/tokens/queries';
import { readNotices } from '../../community/notices';
import { listTrash } from '../../projects/trash/queries';
import { assetEntries, entriesOf } from './entries';
import { findDeletedProject, findExported } from './queries';
import {
    ownAccount, deletedProjects, liveProjects, looseAssets, memberships, ownClasses, ownCollections, sentAssets, writtenComments
} from './takeout-queries';
import type { OwnedRows } from './takeout-queries';

/** The dependencies of a takeout. */
export interface TakeoutServices {
    db: Database;
    storage: AssetStorage;
    userId: string;
    trashDays: number;
    /** whether the mail address is in it: not for scripts and apps */
    withAddress: boolean;
    /** Reads a project in pieces. */
    inPieces<Item>(pieces: (read: Read) => AsyncGenerator<Item>): AsyncGenerator<Item>;
}

/** Number of entries of the trash that are read together. */
const MAX_ENTRIES = 10;

/** The files of a takeout. Only lists of ids, and what is being sent, are in memory. */
export async function* takeoutEntries(services: TakeoutServices): AsyncGenerator<NewEntry> {
    const { db, storage, userId, trashDays, withAddress } = services;
    const read = readNow(db);
    yield { name: 'account.json', content: accountFile(db, userId, withAddress) };
    yield { name: 'memberships.json', content: listFile('memberships', rowsOf(read, memberships, userId)) };
    yield { name: 'collections.json', content: listFile('collections', rowsOf(read, ownCollections, userId)) };
    yield { name: 'classes.json', content: listFile('classes', rowsOf(read, ownClasses, userId)) };
    yield { name: 'notices.json', content: listFile('notices', ownNotices(db, userId)) };
    yield { name: 'comments.json', content: listFile('comments', rowsOf(read, writtenComments, userId)) };
    yield { name: 'assets.json', content: listFile('assets', rowsOf(read, sentAssets, userId)) };
    yield { name: 'trash.json', content: listFile('trash', trashRows(db, userId, trashDays)) };
    for (const [folder, sql, find] of [['projects', liveProjects, findExported], ['trash', deletedProjects, findDeletedProject]] as const) {
        for await (const { id } of rowsOf(read, sql, userId)) {
            yield {
                name: `${folder}/${id}.zip`, compress: false,
                content: zipOf(services.inPieces((inSnapshot) => entriesOf(inSnapshot, storage, {
                    find: (reader) => find(reader, userId, id, { id: userId, moderator: false }), history: true, deleted: folder === 'trash'
                })))
            };
        }
    }

    for await (const { json: hash } of rowsOf(read, looseAssets, userId)) {
        yield* assetEntries(read, storage, [hash]);
    }
}

async function* accountFile(db: Database, userId: string, withAddress: boolean): AsyncGenerator<string> {
    const { json } = await runAlways(db, ownAccount, [userId]);
    const address = withAddress ? `"address":${await findAddress(db, userId)},\n` : '';
    const tokens = await listTokens(db, userId, WHOLE);
    yield `{"format":"${FORMAT.takeout}","version":${FORMAT.version},"made_at":"${new Date().toISOString()}",\n"user":${json},\n${address}"tokens":[${tokens.map(({ json: token }) => token).join(',')}]}\n`;
}

/** A file that lists JSON texts. */
export async function* listFile(name: string, rows: AsyncGenerator<OwnedRows>): AsyncGenerator<string> {
    let before = `{"${name}":[\n`;
    for await (const { json } of rows) {
        yield before + json;
        before = ',\n';
    }

    yield before === ',\n' ? ']}\n' : `${before}]}\n`;
}

/** All rows of a list of what somebody or something has. */
export async function* rowsOf<Row extends { id: string }>(read: Read, sql: Statement<Row>, owner: string): AsyncGenerator<Row> {
    let after: string | undefined = '0';
    while (after !== undefined) {
        const rows: Row[] = await read(sql, [owner, after]);
        yield* rows;
        after = rows.at(-1)?.id;
    }
}

async function* ownNotices(db: Database, userId: string): AsyncGenerator<OwnedRows> {
    for (const notice of await readNotices(db, userId, { everybody: false })) {
        yield { id: notice.id, json: JSON.stringify(notice) };
    }
}

async function* trashRows(db: Database, userId: string, days: number): AsyncGenerator<OwnedRows> {
    let before: string | null = MAX_ID;
    while (before !== null) {
        const { items, id: last }: BoundedPage = await listTrash(db, { userId, days, before, count: MAX_ENTRIES, moderated: false });
        if (items !== '') {
            yield { id: before, json: items };
        }

        before = last;
    }
}
