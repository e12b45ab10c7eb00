import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Processes } from '../measure/processes';

/** What `wrk` sends. */
export interface Load {
    base: string;
    connections: number;
    seconds: number;
    method?: string;
    headers?: Readonly<Record<string, string>>;
    /** sent in turn, starting at `from` (a share of the list, 0 to 1) */
    requests: readonly { path: string; body?: string }[];
    from?: number;
    /** Lua: a table of headers for request number `n` */
    each?: string;
    /** the allowed size of a response with its head: `wrk` accepts statuses up to 399, so the size tells 200 from 304 */
    bytes?: { least?: number; most?: number };
}

/** Times in milliseconds. */
export interface Loaded {
    requests: number;
    perSecond: number;
    p50: number;
    p99: number;
    max: number;
}

/** @throws Error if wrk is not installed */
export function findWrk(): void {
    if (spawnSync('wrk', ['-v']).error) {
        throw new Error('wrk is not on the PATH: install it with "apt-get install wrk".');
    }
}

/** @throws Error if any response was unexpected */
export async function wrk(processes: Processes, dir: string, load: Load): Promise<Loaded> {
    const script = join(dir, 'load.lua');
    const list = join(dir, 'load.txt');
    writeFileSync(list, load.requests.map(({ path, body }) => `${path}\t${body ?? ''}\n`).join(''));
    writeFileSync(script, lua(load, list));

    const output = await run(processes, ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--timeout', '10s', '-s', script, load.base], load.seconds);
    const told = new Map([...output.matchAll(/^bench (\w+) ([\d.]+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
    const value = (name: string): number => told.get(name) ?? NaN;

    const errors = ['connect', 'read', 'write', 'status', 'timeout'].filter((name) => value(name) !== 0);
    if (errors.length > 0 || !(value('requests') > 0)) {
        throw new Error(`${errors.map((name) => `${value(name)} ${name} errors`).join(', ')} in ${value('requests')} requests of ${load.requests[0]?.path}\n${output}`);
    }

    const bytes = value('bytes') / value('requests');
    if (bytes < (load.bytes?.least ?? 0) || bytes > (load.bytes?.most ?? Infinity)) {
        throw new Error(`responses of ${Math.round(bytes)} bytes have the wrong size for ${load.requests[0]?.path}`);
    }

    return {
        requests: value('requests'), perSecond: value('requests') / value('duration') * 1e6,
        p50: value('p50') / 1000, p99: value('p99') / 1000, max: value('max') / 1000
    };
}

function lua({ method = 'GET', headers = {}, each, from = 0 }: Load, list: string): string {
    const quoted = (text: string): string => JSON.stringify(text);
    return `
        wrk.method = ${quoted(method)}
        ${Object.entries(headers).map(([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`).join('\n')}
        local list, n = {}, 0
        init = function()
            for line in io.lines(${quoted(list)}) do
                local path, body = line:match("^(.-)\\t(.*)$")
                if body == "" then body = nil end
                list[#list + 1] = ${each === undefined ? 'wrk.format(nil, path, nil, body)' : 'path'}
            end
            n = math.floor(#list * ${from})
        end
        request = function()
            n = n + 1
            local item = list[(n - 1) % #list + 1]
            return ${each === undefined ? 'item' : `wrk.format(nil, item, ${each})`}
        end
        done = function(summary, latency)
            local told = {
                requests = summary.requests, duration = summary.duration, bytes = summary.bytes,
                p50 = latency:percentile(50), p99 = latency:percentile(99), max = latency.max
            }
            for name, value in pairs(summary.errors) do told[name] = value end
            for name, value in pairs(told) do io.write(string.format("bench %s %.0f\\n", name, value)) end
        end`;
}

function run(processes: Processes, args: readonly string[], seconds: number): Promise<string> {
    return new Promise((resolve, reject) => {
        const child = processes.start('wrk', args, { stdio: ['ignore', 'pipe', 'pipe'] });
        let output = '';
        const take = (chunk: Buffer): void => {
            output += chunk.toString();
        };

        child.stdout?.on('data', take);
        child.stderr?.on('data', take);
        const late = setTimeout(() => child.kill('SIGKILL'), (seconds + 30) * 1000);
        child.once('error', reject);
        child.once('close', (code, signal) => {
            clearTimeout(late);
            if (code === 0) {
                resolve(output);
            }
            else {
                reject(new Error(`wrk ended with ${signal ?? code}\n${output}`));
            }
        });
    });
}
