import { fromProjects } from '../projects/fragments';
import { escaped } from '../../client/src/render/writers';
import { inAllShards } from '../database/declaration';
import type { Database } from '../database/statements/connection';
import { isoTime } from '../database/statements/json-sql';
import { run, statement } from '../database/statements/statement';
import { isListed } from '../rules/visibility';

/** Projects of one sitemap: those with so many ids, one after the other. The protocol allows 50,000 addresses in a file, and 50,000 files in the index. */
const PER_FILE = 5000;
const MAX_FILES = 50_000;

// From each range of ids, straight to the next one that has a listed project.
const ranges = statement({ row: { number: 'bigint' }, place: inAllShards() }, `
    with recursive ranges as (
        select (select (p.id - 1) / ${PER_FILE} ${fromProjects(isListed('p'))} order by p.id limit 1) as number
        union all
        select (select (p.id - 1) / ${PER_FILE} ${fromProjects(isListed('p'))} and p.id > (r.number + 1) * ${PER_FILE}
            order by p.id limit 1) from ranges r where r.number is not null
    )
    select number from ranges where number is not null limit ${MAX_FILES}`);

/** The numbers, from 1, of the sitemaps that have a project. */
export async function findSitemaps(db: Database): Promise<string[]> {
    const rows = await run(db, ranges, []);
    return [...new Set(rows.map(({ number }) => BigInt(number) + 1n))].sort((a, b) => Number(a - b)).map(String);
}

const listed = statement({ parameters: ['bigint', 'bigint'], row: { id: 'text', updated: 'text' }, place: inAllShards({ kind: 'first', count: PER_FILE }) }, `
    select p.id::text as id, ${isoTime('p.updated_at')} as updated
        ${fromProjects(isListed('p'))} and p.id > $1 and p.id <= $2 order by p.id limit ${PER_FILE}`);

interface Listed {
    id: string;
    updated: string;
}

/** The public projects of a sitemap. @param number from 1 */
export function findListed(db: Database, number: number): Promise<Listed[]> {
    return run(db, listed, [(number - 1) * PER_FILE, number * PER_FILE]);
}

const START = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The index of all sitemaps (https://www.sitemaps.org/protocol.html). @param pages paths that are no projects' */
export function writeIndex(origin: string, numbers: readonly string[]): string {
    const files = ['pages', ...numbers].slice(0, MAX_FILES).map((number) =>
        `<sitemap><loc>${escaped(origin)}/sitemaps/${number}.xml</loc></sitemap>\n`);
    return `${START}<sitemapindex xmlns="${NAMESPACE}">\n${files.join('')}</sitemapindex>\n`;
}

/** A sitemap of pages of the site. */
export function writeSitemap(origin: string, pages: readonly { path: string; updated?: string }[]): string {
    const urls = pages.map(({ path, updated }) =>
        `<url><loc>${escaped(`${origin}${path}`)}</loc>${updated === undefined ? '' : `<lastmod>${updated}</lastmod>`}</url>\n`);
    return `${START}<urlset xmlns="${NAMESPACE}">\n${urls.join('')}</urlset>\n`;
}
