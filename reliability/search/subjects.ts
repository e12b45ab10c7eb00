import type { Knex } from 'knex';

import { Attacker } from '../attacks/attacker';
import type { Account } from '../attacks/attacker';
import { behind, chain, collected, fullAccount, fullClass, fullTrash, heavyButtons, heavyTexts, longHistory, manyProjects, million } from '../attacks/data';
import type { Large } from '../attacks/data';
import type { Values } from './bodies';

/** Something at a limit: what stands for the parameters of a path, and whose token is sent. */
export interface Subject {
    name: string;
    account: Account;
    /** by the names of parameters; several with commas between them, of which each request takes another one */
    values: Values;
}

/** Makes data at all limits, each with an account of its own. */
export async function makeSubjects(url: string, db: Knex): Promise<Subject[]> {
    const attacker = new Attacker(url, { seed: 1, address: '127.0.2.1', seconds: Infinity });
    const made: readonly (readonly [string, Large & { collection?: string }])[] = [
        ['a million elements', await million(attacker, db)],
        ['a full trash', await fullTrash(attacker, db)],
        ['4 MB of texts', await heavyTexts(attacker, db)],
        ['1,000 buttons', await heavyButtons(attacker, db)],
        ['a collection of 500', await collected(attacker, db)],
        ['3,000 projects', await manyProjects(attacker, db, 'with-many-projects', '\uFDFA'.repeat(200), '\uFDFA'.repeat(900))],
        ['400 remixes', await chain(attacker, db)],
        ['10,000 upstream changes', await behind(attacker, db)],
        ['a long history', await longHistory(attacker, db)]
    ];
    // So that there is something to restore.
    for (const [, { path, account: { headers } }] of made) {
        await attacker.call({ method: 'PATCH', path, headers, body: { description: 'Changed once more' } });
    }

    const others = await commonValues(attacker, db, made);
    attacker.close();
    return Promise.all(made.map(async ([name, large]) => ({ name, account: large.account, values: { ...others, ...await valuesOf(db, large) } })));
}

/** What stands for the other parameters, the same for all. */
async function commonValues(attacker: Attacker, db: Knex, made: readonly (readonly [string, Large & { collection?: string }])[]): Promise<Values> {
    const collection = made.map(([, large]) => large.collection).find((id) => id !== undefined) ?? '1';
    const member = await attacker.open();
    const { rows: [row] } = await db.raw<{ rows: { token: string }[] }>('select id::text as token from tokens where user_id = ? limit 1', [member.id]);
    const teachers = made.map(([, { account }]) => account.id);
    const [, smallest] = made.find(([name]) => name === 'a long history') ?? ['', { id: '1' }];
    return { ...await fullClass(db, teachers, smallest.id), collection, username: member.username, token: String(row?.token), invitation: '1', list: 'new', number: '1', language: 'en', tag: '\u4E00', file: 'site.css', part: 'projects', sha256: 'a'.repeat(64) };
}

async function valuesOf(db: Knex, { account, id, pageId }: Large): Promise<Values> {
    const { rows: [row] } = await db.raw<{ rows: { element: string | null; entry: string | null }[] }>(`
        select (select min(id)::text from elements where page_id = ?) as element, (select string_agg(id::text, ',') from trash where user_id = ?) as entry`, [pageId, account.id]);
    const [element, entry] = [row?.element ?? '1', row?.entry ?? '1'];
    return { ...await fullAccount(db, account.id), user: account.id, project: id, page: pageId, element, entry, revision: '1', projectId: id, pageId, id: element };
}
