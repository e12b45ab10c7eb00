import { parseArgs } from 'node:util';

export interface Options {
    projects: number;
    rounds: number;
    seconds: number;
    connections: number;
    /** names of scenarios; empty for all */
    only: readonly string[];
    scale: boolean;
    overload: boolean;
    /** projects in each database of `--scale` */
    sizes: readonly number[];
    /** null for an embedded PostgreSQL */
    url: string | null;
    /** folder of the JSON files; RESULTS.md and the plot go beside it */
    out: string;
}

export const help = `Measures the built server beside its peers, in one run.

  npm run bench -- [options]

  --projects <n>      projects in the database (100000)
  --rounds <n>        rounds that medians are taken over (5)
  --seconds <n>       length of one measurement (4)
  --connections <n>   clients of the throughput scenarios (64)
  --only <a,b>        these scenarios alone; RESULTS.md and the plot are left as they are
  --scale             the reads at several sizes instead, against the smallest
  --overload          requests at fixed rates below and beyond the capacity instead
  --sizes <a,b>       those sizes (100000,1000000,5000000)
  --url <postgres://> an empty database to fill, or one filled before (default: an embedded PostgreSQL in .data/bench-<projects>)
  --out <folder>      where the JSON goes; RESULTS.md and results.svg beside it (bench/results)
  --help
`;

/** @throws Error in words; undefined where help was asked for */
export function readOptions(args: string[]): Options | undefined {
    const { values } = parseArgs({
        args,
        options: {
            projects: { type: 'string', default: '100000' },
            rounds: { type: 'string', default: '5' },
            seconds: { type: 'string', default: '4' },
            connections: { type: 'string', default: '64' },
            only: { type: 'string', default: '' },
            scale: { type: 'boolean', default: false },
            overload: { type: 'boolean', default: false },
            sizes: { type: 'string', default: '100000,1000000,5000000' },
            url: { type: 'string' },
            out: { type: 'string', default: 'bench/results' },
            help: { type: 'boolean', default: false }
        }
    });
    if (values.help) {
        return undefined;
    }

    const sizes = values.sizes.split(',').map((size) => whole('sizes', size, 1000)).sort((a, b) => a - b);
    if (values.scale && values.url !== undefined) {
        throw new Error('--scale makes databases of its own: leave --url out.');
    }

    if (values.scale && values.overload) {
        throw new Error('--scale and --overload are two runs.');
    }

    return {
        projects: whole('projects', values.projects, 1000),
        rounds: whole('rounds', values.rounds, 1),
        seconds: whole('seconds', values.seconds, 1),
        connections: whole('connections', values.connections, 1),
        only: values.only.split(',').filter(Boolean),
        scale: values.scale,
        overload: values.overload,
        sizes,
        url: values.url === undefined ? null : local(values.url),
        out: values.out
    };
}

function whole(name: string, text: string, least: number): number {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < least || value > 50_000_000) {
        throw new Error(`--${name} takes whole numbers from ${least} on, not "${text}".`);
    }

    return value;
}

/** Nothing but this machine is ever put under load. */
function local(url: string): string {
    const { hostname } = new URL(url);
    if (hostname !== '127.0.0.1' && hostname !== 'localhost') {
        throw new Error('--url has to be of this machine: 127.0.0.1, through TCP.');
    }

    return url;
}
