import type { Knex } from 'knex';

/** The content of a database: a digest of each table's rows, and the value of each sequence. */
export async function contentsOf(db: Knex): Promise<Record<string, string>> {
    const { rows: tables } = await db.raw<{ rows: { name: string }[] }>(`select tablename as name from pg_tables where schemaname = 'public' order by 1`);
    const { rows: sequences } = await db.raw<{ rows: { name: string; value: string }[] }>(`select sequencename as name, coalesce(last_value::text, 'new') as value from pg_sequences order by 1`);
    const contents: Record<string, string> = Object.fromEntries(sequences.map(({ name, value }) => [name, value]));
    // A process writes what it counted when it ends.
    for (const { name } of tables.filter((table) => table.name !== 'daily_counts')) {
        // When a token was used is written a second later, once an hour.
        const text = name === 'tokens' ? `(to_jsonb(r) - 'last_used_at')::text` : 'r::text';
        const { rows: [row] } = await db.raw(`select count(*) || ' ' || md5(coalesce(string_agg(${text}, '|' order by ${text}), '')) as digest from ${name} r`);
        contents[name] = row.digest;
    }

    return contents;
}
