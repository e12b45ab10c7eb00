import type { Knex } from 'knex';

/** Words of one script: where its letters are in Unicode, how many there are, and what is between two words. */
const scripts = {
    Latin: { from: 0x61, letters: 26, between: ' ', shortest: 3, longest: 9 },
    Cyrillic: { from: 0x430, letters: 32, between: ' ', shortest: 3, longest: 9 },
    Arabic: { from: 0x628, letters: 19, between: ' ', shortest: 3, longest: 9 },
    Chinese: { from: 0x4E00, letters: 3000, between: '', shortest: 2, longest: 3 },
    Japanese: { from: 0x3042, letters: 80, between: '', shortest: 2, longest: 3 },
    Thai: { from: 0xE01, letters: 46, between: '', shortest: 2, longest: 3 }
} as const;

export type Script = keyof typeof scripts;

/** Words of each script; the first one is in most projects, the last ones in hardly any. */
const WORDS = 30_000;

/** Projects of one statement. */
const AT_ONCE = 5000;

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number): () => number {
    let state = seed;
    return () => {
        state = (state * 1_103_515_245 + 12_345) % 0x8000_0000;
        return state / 0x8000_0000;
    };
}

/** Invented words by script. */
export function vocabulary(): Map<Script, string[]> {
    const random = randomNumbers(1);
    return new Map(Object.entries(scripts).map(([script, { from, letters, shortest, longest }]) => [script as Script, Array.from({ length: WORDS }, () => {
        const length = shortest + Math.floor(random() * (longest - shortest + 1));
        return Array.from({ length }, () => String.fromCodePoint(from + Math.floor(random() * letters))).join('');
    })]));
}

/** Fills a migrated database with projects that have a title of a few words and a description of more, one script after the other; triggers off. */
export async function fillWords(db: Knex, projects: number, log: (message: string) => void): Promise<void> {
    const random = randomNumbers(2);
    const words = [...vocabulary()];
    const authors = Math.max(100, Math.floor(projects / 10));
    const text = (n: number, count: number): string => {
        const [script, list] = words[n % words.length] ?? ['Latin', []];
        // As in a language: the word at a place is as frequent as one over the place.
        return Array.from({ length: count }, () => list[Math.floor(WORDS ** random()) - 1]).join(scripts[script].between);
    };

    await db.raw(`insert into users (username, language) select 'author-' || n, (array['en', 'ru', 'ar', 'zh-Hans', 'ja', 'th'])[1 + n % 6] from generate_series(0, ?::int) n`, [authors]);
    for (let first = 1; first <= projects; first += AT_ONCE) {
        const ids = Array.from({ length: Math.min(AT_ONCE, projects - first + 1) }, (_, n) => first + n);
        await db.transaction(async (trx) => {
            await trx.raw('set local session_replication_role = replica');
            await trx.raw('set local synchronous_commit = off');
            await trx.raw(`
                insert into projects (id, user_id, version, title, description, tags, created_at)
                select id, 1 + id % ?::int, '1', title, description, array['all', 'kind' || id % 50], '2026-01-01'::timestamptz + id * interval '1 second'
                from unnest(?::bigint[], ?::text[], ?::text[]) as made (id, title, description)`,
            [authors, ids, ids.map((id) => text(id, 2 + Math.floor(random() * 4)).slice(0, 256)), ids.map((id) => `${text(id, 10 + Math.floor(random() * 10))} #all #kind${id % 50}`)]);
        });
        if (first % (20 * AT_ONCE) === 1) {
            log(`made ${first + ids.length - 1} of ${projects} projects`);
        }
    }

    await db.raw(`
        insert into trending (project_id, at) select id, now() - random() * interval '6 days' from projects where id % 10 = 0;
        insert into collections (user_id, title, description, visibility) select 1, 'Collection ' || n, '', 'public' from generate_series(1, 100) n;
        insert into collection_projects (collection_id, project_id, place) select c.id, 1 + (c.id * 7919 + n * 104729) % ${projects}, n from collections c, generate_series(1, 500) n on conflict do nothing;
        insert into search_queue (project_id) select id from projects`);
    await db.raw('vacuum analyze');
}
