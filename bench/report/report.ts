import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

import type { Pool } from 'pg';

import type { Fact, Result } from '../measure/figures';
import type { Options } from '../measure/options';
import { factTable, resultTables, screen } from './table';

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

/** Kinds of runs. */
export type Section = 'throughput' | 'before' | 'history' | 'live' | 'assets' | 'scale' | 'overload' | 'units';

/** Keeps the newest results of a kind of run in `results.json`. @returns the file */
export function writeJson(out: string, section: Section, report: { machine: Machine }): string {
    mkdirSync(out, { recursive: true });
    const file = join(out, 'results.json');
    const old: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    writeFileSync(file, `${JSON.stringify({ ...old, [section]: report }, null, 1)}\n`);
    return file;
}

export function machineWords({ date, cores, cpu, memory, node, postgres, durability }: Machine): string {
    return `${date.slice(0, 10)}, ${cores} cores (${cpu}), ${memory}; Node ${node}, PostgreSQL ${postgres} (${durability}).`;
}

/** Prints what a run has measured, in whole. */
export const print = (text: string): void => void process.stdout.write(`${text.trim()}\n`);

/** Writes RESULTS.md, one screen: each scenario with its ratio and its target. Prints all other figures. */
export function publish(out: string, { machine, options, results, facts }: Report): void {
    const { projects, seconds, connections, rounds } = options;
    print(`${resultTables(results)}\n\n${factTable(facts)}`);
    writeFileSync(join(out, 'RESULTS.md'), `# Results of the bench

Written by \`npm run bench\`. ${machineWords(machine)} ${projects} projects, ${connections} connections, ${rounds} rounds of ${seconds} s. [README.md](README.md) says what each scenario is, \`results.json\` has all figures.

${screen(results)}

${factTable(facts)}
`);
}
