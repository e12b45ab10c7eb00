import { resolve } from 'node:path';
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
    live: boolean;
    history: boolean;
    assets: boolean;
    classes: boolean;
    conversation: boolean;
    /** a checkout of another build to compare with; null for none */
    before: string | null;
    search: boolean;
    privacy: boolean;
    units: boolean;
    site: boolean;
    /** projects in each database of `--scale` */
    sizes: readonly number[];
    /** null for an embedded PostgreSQL */
    url: string | null;
    /** folder of RESULTS.md and results.json */
    out: string;
}

export const help = `Compares the built service with its peers, in one run.

  npm run bench -- [options]

  --projects <n>      projects in the database (100000)
  --rounds <n>        number of rounds; the results are medians (5)
  --seconds <n>       length of one measurement (4)
  --connections <n>   clients of the throughput scenarios (64)
  --only <a,b>        only these scenarios; does not change RESULTS.md
  --scale             instead: the reads on databases of several sizes, compared with the smallest
  --overload          instead: requests at fixed rates below and beyond the capacity
  --live              instead: what event streams cost, and how fast they are told
  --history           instead: reads of histories, on databases of several sizes
  --assets            instead: pictures, exports and takeouts, compared with files and texts
  --classes           instead: the pages of a large class; writes no file
  --conversation      instead: long threads and people whom many follow; writes no file
  --search            instead: searches in six scripts; writes no file
  --privacy           instead: what is private against what does not exist, and against what is public; writes no file
  --units             instead: CPU, WAL and bytes of each unit of work
  --site              instead: the pages that people look at, in a browser whose scripts are slowed down, and films of first minutes in .data/film/; writes no other file
  --before <folder>   instead: this build compared with the one in another checkout, whose bench has filled its database
  --sizes <a,b>       projects in the databases of --scale and --history (100000,1000000,5000000)
  --url <postgres://> an empty database to fill, or one filled before (default: an embedded PostgreSQL in .data/bench-<projects>)
  --out <folder>      folder of RESULTS.md and results.json (bench)
  --help
`;

/** Returns undefined for `--help`. @throws Error with a message for the user */
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
            live: { type: 'boolean', default: false },
            history: { type: 'boolean', default: false },
            before: { type: 'string' },
            assets: { type: 'boolean', default: false },
            classes: { type: 'boolean', default: false },
            conversation: { type: 'boolean', default: false },
            search: { type: 'boolean', default: false },
            privacy: { type: 'boolean', default: false },
            units: { type: 'boolean', default: false },
            site: { type: 'boolean', default: false },
            sizes: { type: 'string', default: '100000,1000000,5000000' },
            url: { type: 'string' },
            out: { type: 'string', default: 'bench' },
            help: { type: 'boolean', default: false }
        }
    });
    if (values.help) {
        return undefined;
    }

    const sizes = values.sizes.split(',').map((size) => whole('sizes', size, 1000)).sort((a, b) => a - b);
    const modes = [values.scale, values.overload, values.live, values.history, values.before !== undefined, values.search, values.assets, values.classes, values.conversation, values.privacy, values.units, values.site];
    if (values.url !== undefined && (values.scale || values.history || values.classes || values.conversation || values.privacy || values.before !== undefined)) {
        throw new Error('--scale, --history, --classes, --conversation, --privacy and --before have their own databases: leave out --url.');
    }

    if (modes.filter(Boolean).length > 1) {
        throw new Error('--scale, --overload, --live, --history, --before, --search, --assets, --classes, --conversation, --privacy, --units and --site cannot be combined.');
    }

    return {
        projects: whole('projects', values.projects, 1000),
        rounds: whole('rounds', values.rounds, 1),
        seconds: whole('seconds', values.seconds, 1),
        connections: whole('connections', values.connections, 1),
        only: values.only.split(',').filter(Boolean),
        scale: values.scale,
        overload: values.overload,
        live: values.live,
        history: values.history,
        assets: values.assets,
        classes: values.classes,
        conversation: values.conversation,
        before: values.before === undefined ? null : resolve(values.before),
        search: values.search,
        privacy: values.privacy,
        units: values.units,
        site: values.site,
        sizes,
        url: values.url === undefined ? null : local(values.url),
        out: values.out
    };
}

function whole(name: string, text: string, least: number): number {
    const value = Number(text);
    if (!/^[0-9]+$/.test(text) || value < least || value > 50_000_000) {
        throw new Error(`--${name} must be a whole number of at least ${least}, not "${text}".`);
    }

    return value;
}

/** Only this machine is ever put under load. */
function local(url: string): string {
    const { hostname } = new URL(url);
    if (hostname !== '127.0.0.1' && hostname !== 'localhost') {
        throw new Error('--url must be on this machine: 127.0.0.1, over TCP.');
    }

    return url;
}
