import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { fakeHost, until } from './host';

const root = resolve(__dirname, '../..');
let built: string | undefined;

/** The service as `npm run build` makes it, in a folder of this process's own: the checkout's `dist` may be in use. */
export function build(): string {
    if (built === undefined) {
        const folder = mkdtempSync(join(tmpdir(), 'pagewright-test-'));
        process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
        execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', folder]);
        symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
        built = folder;
    }

    return built;
}

/** A program of the service's, as a process of its own. */
export interface Program {
    child: ChildProcess;
    out: string;
    err: string;
    /** the exit code; null while it runs, and when it was killed */
    ended: Promise<number | null>;
}

/** Starts `main` or `admin`, without anything of the tester's own environment or `.env`. */
export function startProgram(name: 'main' | 'admin', env: Record<string, string>, args: readonly string[] = []): Program {
    const child = spawn(process.execPath, [join(build(), 'src', `${name}.js`), ...args], {
        cwd: build(), env: { ...process.env, ...fakeHost(env).env }, stdio: ['ignore', 'pipe', 'pipe']
    });
    const program: Program = { child, out: '', err: '', ended: new Promise((end) => void child.once('close', end)) };
    child.stdout.on('data', (data) => {
        program.out += data;
    });
    child.stderr.on('data', (data) => {
        program.err += data;
    });
    return program;
}

/** Where a started `main` listens. */
export async function addressIn(program: Program): Promise<string> {
    await until(() => program.err.includes('Ctrl-C') || program.child.exitCode !== null, 60_000);
    const [, url] = /Pagewright is at (http:\S+)/.exec(program.err) ?? [];
    if (url === undefined) {
        throw new Error(`It did not start: ${program.err}`);
    }

    return url;
}
