import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

import type { Pool } from 'pg';

import type { Fact, Result } from '../measure/figures';
import type { Options } from '../measure/options';
import { plot } from './plot';
import { factTable, resultTables } from './table';

/** What the figures depend on, without anything that identifies the machine. */
export interface Machine {
    date: string;
    cores: number;
    cpu: string;
    memory: string;
    node: string;
    postgres: string;
    durability: string;
}

export interface Report {
    machine: Machine;
    options: Pick<Options, 'projects' | 'seconds' | 'connections' | 'rounds'>;
    results: readonly Result[];
    facts: readonly Fact[];
}

export async function machineOf(sql: Pool): Promise<Machine> {
    const { rows: [row] } = await sql.query<{ version: string; fsync: string; commit: string }>(`
        select current_setting('server_version') as version, current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`);
    const all = cpus();
    return {
        date: new Date().toISOString(), cores: all.length, cpu: all[0]?.model.trim() ?? '', memory: `${(totalmem() / 1024 ** 3).toFixed(0)} GiB`,
        node: process.version, postgres: row?.version ?? '', durability: `fsync ${row?.fsync}, synchronous_commit ${row?.commit}`
    };
}

/** Sections of RESULTS.md: each kind of run replaces its own section. */
export type Section = 'throughput' | 'before' | 'history' | 'live' | 'assets' | 'scale' | 'overload' | 'units';

const order: readonly Section[] = ['throughput', 'before', 'history', 'live', 'assets', 'scale', 'overload', 'units'];

export function writeJson(out: string, section: Section, { machine: { date }, ...report }: { machine: Machine }): string {
    mkdirSync(out, { recursive: true });
    const file = join(out, `${date.slice(0, 19).replaceAll(':', '')}-${section}.json`);
    writeFileSync(file, `${JSON.stringify({ date, ...report }, null, 4)}\n`);
    return file;
}

export function writeSection(out: string, section: Section, text: string): void {
    const file = join(dirname(out), 'RESULTS.md');
    const intro = '# Results of the bench\n\nWritten by `npm run bench`. [README.md](README.md) describes each scenario.\n';
    const [open, close] = [`<!-- ${section} -->`, `<!-- /${section} -->`];
    const old = existsSync(file) ? readFileSync(file, 'utf8') : intro;
    const [from, to] = [old.indexOf(open), old.indexOf(close)];
    if (from >= 0 && to > from) {
        writeFileSync(file, `${old.slice(0, from)}${open}\n${text.trim()}\n${old.slice(to)}`);
        return;
    }

    // Before the first of the sections that come after it.
    const at = order.slice(order.indexOf(section) + 1).map((later) => old.indexOf(`<!-- ${later} -->`)).find((place) => place >= 0) ?? old.length;
    writeFileSync(file, `${old.slice(0, at).trimEnd()}\n\n${open}\n${text.trim()}\n${close}\n\n${old.slice(at)}`.trimEnd() + '\n');
}

export function machineWords({ date, cores, cpu, memory, node, postgres, durability }: Machine): string {
    return `${date.slice(0, 10)}, ${cores} cores (${cpu}), ${memory}; Node ${node}, PostgreSQL ${postgres} (${durability}).`;
}

/** Writes the section in RESULTS.md and the plot. */
export async function publish(out: string, { machine, options, results, facts }: Report): Promise<void> {
    const { projects, seconds, connections, rounds } = options;
    writeFileSync(join(dirname(out), 'results.svg'), await plot(results));
    writeSection(out, 'throughput', `
## Compared with the peers

${machineWords(machine)}

${projects} projects, ${connections} connections, ${rounds} rounds of ${seconds} s for each scenario, all on the same cores: one process of the
service, PostgreSQL, and \`wrk\` with one thread. Each round starts with another scenario, and the yardstick runs before and after every three
scenarios. A ratio compares a run with the two yardstick runs around it; the table shows the median of the rounds. Times of bulks and remixes are
percentiles of all calls of all rounds. CPU is the time per request that the kernel counted during the run, for the server process and for all
processes of PostgreSQL. Beside large calls, a separate process sends requests at a fixed pace (one project each 10 ms, or /health each 5 ms); their times
count from when a request was due, and "reader late" says how late that process was itself. "stall" is the longest delay of the service's event
loop. Both and "max" are the worst of all rounds. Logs are on, and go to a file. A scenario fails if any response is unexpected.

${resultTables(results)}

${factTable(facts)}

![Ratios and targets](results.svg)
`);
}
