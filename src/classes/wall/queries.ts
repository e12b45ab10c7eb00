import { hasVisibility } from '../../rules/visibility';
import { isValidToken } from '../../accounts/tokens/fragments';
import { fromLiveProject } from '../../projects/fragments';
import { joinActiveUser } from '../../accounts/users/fragments';
import { defined } from '../../api/errors/defined';
import type { ClassRole } from '../json';
import { inAllShards, known } from '../../database/declaration';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { run, statement } from '../../database/statements/statement';
import { isActiveMember } from '../access';

/*
 * What the walls of classes show, as numbers: two are equal if nothing has changed. What somebody sees of a class follows from sums of hashes of its projects, so one
 * look serves all who watch a class.
 */

/** Who watches a class. */
export interface WallReader {
    classId: string;
    reader: string;
    /** the hash of their token, if it is one of ours */
    token: Buffer | null;
}

/** The wall for a reader. */
export interface SeenWall {
    /** null if they may not see the class any more */
    state: string | null;
    /** whether their token, or account, is not valid any more */
    expired: boolean;
}

const rights = statement({ parameters: ['bigint[]', 'bigint[]', 'bytea[]', 'boolean'], row: { n: 'integer', role: known<ClassRole | null>('text?'), expired: 'boolean' } }, `
    select w.n::int as n, k.role, u.id is null as expired from unnest($1::bigint[], $2::bigint[], $3::bytea[]) with ordinality as w (class_id, reader, token, n)
        left ${joinActiveUser('w.reader')} and (w.token is null or ${isValidToken('w.token')})
        left join class_people k on k.class_id = w.class_id and k.user_id = u.id and ${isActiveMember('$4::boolean')} and exists (select from classes c where c.id = w.class_id and ${live('c')})`);

// Each project is looked up by its key, as for the gallery (projects.ts), which shows the same.
const walls = statement({ parameters: ['bigint[]'], row: { class_id: 'bigint', user_id: 'bigint', whole: 'bigint', shown: 'bigint' }, place: inAllShards() }, `
    select a.class_id, p.user_id, bit_xor(h.hash) as whole, coalesce(bit_xor(h.hash) filter (where p.held_at is null and a.state = 'shown' and (a.audience = 'class' or ${hasVisibility('p', 'public')})), 0) as shown
    from class_projects a cross join lateral (
        select p.id, p.user_id, p.revision, p.visibility, p.held_at, p.made_thumbnail ${fromLiveProject('a.project_id')} limit 1
    ) p cross join lateral (select hashtextextended(concat_ws(' ', p.id, p.revision, p.visibility, p.held_at is null, p.made_thumbnail, a.state), 0) as hash) h
    where a.class_id = any($1) group by a.class_id, p.user_id`);

/** The sums of a class. */
interface Sums {
    /** of all projects */
    whole: bigint;
    /** of those that its pupils see */
    shown: bigint;
    /** of those that only the owner and the teachers see, by owner */
    own: { owner: string; hash: bigint }[];
}

/**
 * The walls that these readers see, in their order.
 * @param everybody whether all teach whom no class manages (`TEACHERS=open`)
 */
export async function seenWalls(db: Database, readers: readonly WallReader[], everybody: boolean): Promise<SeenWall[]> {
    const sums = new Map(readers.map(({ classId }): [string, Sums] => [classId, { whole: 0n, shown: 0n, own: [] }]));
    for (const { class_id: id, user_id: owner, ...row } of await run(db, walls, [[...sums.keys()]])) {
        const [whole, shown, sum] = [BigInt(row.whole), BigInt(row.shown), defined(sums.get(id))];
        sum.whole ^= whole;
        sum.shown ^= shown;
        sum.own.push({ owner, hash: whole ^ shown });
    }

    const seenBy = (reader: string, role: ClassRole, { whole, shown, own }: Sums): bigint => (role === 'teacher' ? whole : own.reduce((sum, { owner, hash }) => (owner === reader ? sum ^ hash : sum), shown));
    const found = await run(db, rights, [readers.map(({ classId }) => classId), readers.map(({ reader }) => reader), readers.map(({ token }) => token), everybody]);
    return found.sort((one, other) => one.n - other.n).map(({ n, role, expired }) => {
        const { classId, reader } = defined(readers[n - 1]);
        return { state: role === null ? null : BigInt.asUintN(64, seenBy(reader, role, defined(sums.get(classId)))).toString(16), expired };
    });
}
