import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { transformSync } from 'esbuild';
import { Client } from 'pg';

/** What a process that runs an embedded server reports about its start: the server's URL, or an error. */
export interface Said {
    url?: string;
    fresh?: boolean;
    attached?: string | null;
    name?: string;
    message?: string;
}

export interface Keeper {
    child: ChildProcess;
    said: Promise<Said>;
    ended: Promise<void>;
}

export const root = resolve(__dirname, '../../..');
export const isRoot = process.getuid?.() === 0;

const KEEPER = `
const { attachEmbedded, startEmbedded } = require('./src/database/embedded/index.js');
const say = (said) => console.log(JSON.stringify(said));
const keep = async ({ dir, attach, settings }) => {
    if (attach) {
        return say({ attached: await attachEmbedded(dir) });
    }
    const { url, fresh, stop } = await startEmbedded({ dir, settings });
    process.on('SIGINT', () => stop().then(() => process.exit(0)));
    setInterval(() => {}, 1000);
    say({ url, fresh });
};
keep(JSON.parse(process.argv[2])).catch(({ name, message }) => say({ name, message }));
`;

// Files for other users must be readable to them, whatever the tester's umask is.
process.umask(0o022);

const made: string[] = [];
let built: string | undefined;

/** A folder that {@link clear} removes; it belongs to the given user and is closed to all others. */
export const temporary = (uid?: number): string => {
    const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
    made.push(folder);
    if (uid !== undefined) {
        chownSync(folder, uid, uid);
    }

    return folder;
};

export const clear = (): void => {
    built = undefined;
    made.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
};

/** The module as plain JavaScript, where every user may read it: other processes and users run it from there. */
export const build = (): string => {
    if (!built) {
        built = temporary();
        chmodSync(built, 0o755);
        mkdirSync(join(built, 'src/database/embedded'), { recursive: true });
        symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
        for (const file of ['src/database/samples.ts', ...readdirSync(join(root, 'src/database/embedded')).filter((name) => name.endsWith('.ts')).map((name) => `src/database/embedded/${name}`)]) {
            const { code } = transformSync(readFileSync(join(root, file), 'utf8'), { loader: 'ts', format: 'cjs', target: 'node20' });
            writeFileSync(join(built, file.replace('.ts', '.js')), code);
        }

        writeFileSync(join(built, 'keeper.js'), KEEPER);
    }

    return built;
};

/** Starts a process that opens (or attaches to) the folder and then keeps the server until SIGINT. */
export const keeper = (
    order: { dir: string; attach?: boolean; settings?: Record<string, string> },
    spawning: { uid?: number; gid?: number; detached?: boolean } = {}
): Keeper => {
    const child = spawn(process.execPath, [join(build(), 'keeper.js'), JSON.stringify(order)], {
        ...spawning,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'inherit']
    });
    const ended = new Promise<void>((take) => void child.once('exit', () => take()));
    const said = new Promise<Said>((take) => {
        createInterface(child.stdout).once('line', (line) => take(JSON.parse(line))).once('close', () => take({ message: 'nothing' }));
    });
    return { child, said, ended };
};

/** The rows of one statement on a connection of its own. */
export const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: url });
    client.on('error', Boolean);
    try {
        await client.connect();
        const { rows } = await client.query(sql);
        return rows;
    }
    finally {
        await client.end();
    }
};

/** The pid in the cluster's pid file. */
export const serverPid = (dir: string): number => Number(readFileSync(join(dir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);

/** Waits until the condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; !holds(); ++i) {
        if (i === 500) {
            throw new Error('waited in vain');
        }

        await sleep(20);
    }
};

/** A process that has ended but is never collected, until `end` is called; of the given user. */
export const zombie = async (owner: { uid?: number; gid?: number } = {}): Promise<{ pid: number; end: () => void }> => {
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { ...owner, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((take) => createInterface(parent.stdout).once('line', (line) => take(Number(line))));
    await until(() => execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z'));
    return { pid, end: () => void parent.kill('SIGKILL') };
};
