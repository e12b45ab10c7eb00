import { runProgram } from '../reliability/program';
import { cloneDatabase } from '../test/support/database';

const usage = `usage: npm run schema [-- NAME]

Prints the tables of the database as all migrations leave them, with their indexes and triggers, and the functions; with NAME, those whose name contains it.
`;

/** Everything of a kind as SQL, by its name and by the table that it belongs to. */
const kinds: readonly string[] = [
    `select c.relname as name, c.relname as of, 'create table ' || c.relname || e' (\\n    ' || (
        select string_agg(line, e',\\n    ' order by place, line) from (
            select a.attnum as place, concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
                case when a.attidentity <> '' then 'generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' end,
                case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored' when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end,
                case when a.attnotnull then 'not null' end) as line
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            union all select 10000, 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') lines) || e'\\n)' as sql
        from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname not like 'migrations%'`,
    `select i.relname as name, c.relname as of, pg_get_indexdef(x.indexrelid) as sql from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
        where c.relnamespace = 'public'::regnamespace and c.relname not like 'migrations%' and not exists (select from pg_constraint k where k.conindid = x.indexrelid)`,
    `select t.tgname as name, c.relname as of, pg_get_triggerdef(t.oid, true) as sql from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal`,
    `select p.proname as name, '~' as of, pg_get_functiondef(p.oid) as sql from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
];

async function main(wanted = ''): Promise<void> {
    const { db, drop } = await cloneDatabase();
    const found: { name: string; of: string; sql: string }[] = [];
    for (const kind of kinds) {
        const { rows } = await db.raw<{ rows: typeof found }>(`select * from (${kind}) k where name like '%' || ? || '%' or "of" like '%' || ? || '%' order by name`, [wanted, wanted]);
        found.push(...rows);
    }

    // Each table, and what belongs to it; the functions are last.
    const text = [...new Set(found.map(({ of }) => of))].sort().flatMap((table) => found.filter(({ of }) => of === table)).map(({ sql }) => `${sql.trim()};\n`).join('\n');
    process.stdout.write(text === '' ? usage : text);
    process.exitCode = text === '' ? 1 : 0;
    await drop();
}

runProgram(() => main(process.argv[1]));
