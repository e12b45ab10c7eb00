import { joinUser } from '../../accounts/users/fragments';
import { inProject } from '../../database/declaration';
import type { RowOf } from '../../database/declaration';
import { ancestorsOf } from '../../rules/credits';
import { projectChain } from '../../rules/chain';
import type { ProjectChain } from '../../rules/chain';
import { forReaders, isOpen, mayRead } from '../../rules/visibility';
import type { Reader } from '../../rules/visibility';
import type { Database } from '../../database/statements/connection';
import { live } from '../../database/statements/deletion';
import { bool, jsonObject, plainQuoted, quoted } from '../../database/statements/json-sql';
import { lookup, runOne } from '../../database/statements/statement';
import { writerJson } from '../../api/representations/change';

const lineageColumns = {
    /** JSON texts, with commas between them */
    ancestors: 'text',
    open: 'boolean',
    others: 'text[]?',
    remixes: 'text'
} as const;
type Lineage = RowOf<typeof lineageColumns>;

// An ancestor that the caller may read is shown as it is, another one as it was credited.
const title = 'coalesce(s.title, a.title)';
const named = jsonObject({ id: plainQuoted('a.id'), title: quoted(title), author: writerJson, available: bool('s.id is not null') });
const nameless = jsonObject({ id: plainQuoted('a.id'), available: `'false'` });

const find = forReaders({ parameters: ['bigint', 'bigint'], row: lineageColumns, place: inProject(2) }, (by) => `
    with p as materialized (select p.id, ${isOpen('p')} as open ${projectChain(by)}), shown as (
        select string_agg(case when ${title} is null then ${nameless} else ${named} end, ',' order by a.depth, a.n) as json, bool_and(s.id is null or ${isOpen('s')}) as open, array_agg(s.id::text) filter (where not ${isOpen('s')}) as others
        from (${ancestorsOf('(select id from p)')}) a left join projects s on s.id = a.id and ${live('s')} and ${mayRead('s', by)} left ${joinUser('coalesce(s.user_id, a.author)')}
    )
    select coalesce(shown.json, '') as ancestors, p.open and coalesce(shown.open, true) as open, shown.others, coalesce((select s.remixes from project_stats s where s.project_id = p.id), 0)::text as remixes
    from p, shown`, lookup);

export const findLineage = (db: Database, chain: ProjectChain, reader: Reader): Promise<Lineage | undefined> => runOne(db, ...find(reader, chain));
