import { isBlockedPicture } from '../../community/filters/fragments';
import { fromActiveUser } from '../../accounts/users/fragments';
import { byLookup, inAllShards, inProject, known } from '../../database/declaration';
import { allowed, rightParameters, rightValues } from '../../rules/access';
import type { Writer } from '../../rules/access';
import { projectChain } from '../../rules/chain';
import type { ListPlace } from '../../api/request/pagination';
import { boundedPageColumns, newestPage } from '../../database/bounded-page';
import type { BoundedPage } from '../../database/bounded-page';
import type { Database } from '../../database/statements/connection';
import { lookup, run, runAlways, runOne, statement } from '../../database/statements/statement';
import { assetJson, sentAssetJson } from './json';
import { isWithheld } from './fragments';
import type { AssetFacts } from './register';

const facts = lookup({ parameters: ['text'], row: { type: known<AssetFacts['type']>('text'), size: 'integer', width: 'integer?', height: 'integer?', withheld: 'boolean' }, together: true }, `select type, size, width, height, ${isWithheld('$1')} as withheld from assets where hash = $1 and not ${isBlockedPicture('$1')}`);

const anyFacts = lookup({
    parameters: ['text'], row: { type: known<AssetFacts['type']>('text') }
}, 'select type from assets where hash = $1');

/** The type of an asset, also if it is blocked; undefined if there is none. */
export const findFacts = (db: Database, hash: string): Promise<Pick<AssetFacts, 'type'> | undefined> => runOne(db, anyFacts, [hash]);

/** The facts of an asset, and whether only its senders see it. */
export type ServedFacts = Omit<AssetFacts, 'hash'> & { withheld: boolean };

/** The facts of an asset; undefined if there is none, or it is blocked. */
export const findAsset = (db: Database, hash: string): Promise<ServedFacts | undefined> => runOne(db, facts, [hash]);

const sender = lookup({ parameters: ['text', 'bigint'], row: { '?column?': 'integer' } }, 'select 1 from sent_assets where hash = $1 and user_id = $2');

/** Whether a user has sent an asset. */
export const isSender = async (db: Database, hash: string, userId: string): Promise<boolean> => await runOne(db, sender, [hash, userId]) !== undefined;

const one = lookup({
    parameters: ['text', 'text'], row: { json: 'text' }
}, `select ${assetJson('$2::text')} as json from assets a where hash = $1`);

/** The JSON of an asset that exists. @param origin the address of the service */
export const showAsset = async (db: Database, hash: string, origin: string): Promise<string> => (await runAlways(db, one, [hash, origin])).json;

const someUser = lookup({ parameters: ['bigint'], row: { '?column?': 'integer' } }, `select 1 ${fromActiveUser('$1')}`);

export const userExists = async (db: Database, user: string): Promise<boolean> => await runOne(db, someUser, [user]) !== undefined;

// Those that are about to be removed are kept some days longer: whoever asks is about to refer to them.
const lacking = statement({ parameters: ['bigint', 'text[]'], row: { hash: 'text' } }, `
    with wanted as materialized (select hash, min(n) as n from unnest($2::text[]) with ordinality as w (hash, n) group by hash),
    sent as materialized (select s.hash from sent_assets s join wanted w on w.hash = s.hash where s.user_id = $1),
    renewed as (update assets a set unused_since = now() from sent where a.hash = sent.hash and a.unused_since < now() - interval '1 day')
    select w.hash from wanted w where w.hash not in (select hash from sent) order by n`);

/** Which of these assets a user has not sent, whoever else has. */
export const findMissing = async (db: Database, user: string, hashes: readonly string[]): Promise<string[]> => (await run(db, lacking, [user, hashes])).map(({ hash }) => hash);

const list = statement({ parameters: ['bigint', 'bigint', 'integer', 'text'], row: { ...boundedPageColumns, used: 'double precision' }, place: byLookup }, newestPage(
    'select s.* from sent_assets s where s.user_id = $1', 's', `(select ${sentAssetJson('$4::text')} from assets a where a.hash = s.hash)`, ['$2::bigint', '$3::int'],
    'coalesce((select sum(size) from sent_assets where user_id = $1), 0)::float8 as used,'));

/** The assets that a user has sent, newest first, and the bytes of all. */
export const listSent = (db: Database, user: string, { beforeId, count }: ListPlace, origin: string): Promise<BoundedPage & { used: number }> =>
    runAlways(db, list, [user, beforeId, count, origin]);

const by = rightParameters(2);
const right = lookup({
    parameters: ['bigint', 'bigint', 'bigint', 'boolean', 'text[]'], row: { allowed: 'boolean' }, place: inProject(2)
}, `select coalesce(${allowed('p', by)}, false) as allowed ${projectChain(by)}`);

/** Whether somebody may write to a project, before they send much; undefined if there is no such project. */
export const mayWriteTo = async (db: Database, chain: readonly [string, string], writer: Writer): Promise<boolean | undefined> => (await runOne(db, right, [...chain, ...rightValues(writer)]))?.allowed;

const senders = statement({ parameters: ['text'], row: { id: 'text' } }, 'select user_id::text as id from sent_assets s where s.hash = $1 order by s.id');

/** All who have sent an asset, in that order. */
export const findSenders = async (db: Database, hash: string): Promise<string[]> => (await run(db, senders, [hash])).map(({ id }) => id);

const forgetSenders = statement({ parameters: ['text'] }, 'delete from sent_assets where hash = $1');

/** Has nobody be the sender of an asset. */
export const forgetSendersOf = async (trx: Database, hash: string): Promise<void> => void await run(trx, forgetSenders, [hash]);

const projects = statement({ parameters: ['text'], row: { id: 'text?' }, place: inAllShards() }, `
    select project_id::text as id from asset_uses where hash = $1
    union select u.project_id::text from asset_set_members m join asset_set_uses u on u.set_id = m.set_id where m.hash = $1`);

/** The projects that use an asset, in order. */
export const findUsers = async (db: Database, hash: string): Promise<string[]> => {
    return [...new Set((await run(db, projects, [hash])).flatMap(({ id }) => id ?? []))].sort((a, b) => Number(BigInt(a) - BigInt(b)));
};
