import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { fakeHost, until } from './host';
import { fromRunner } from './runner';

const above = resolve(__dirname, '../..');

/** The root of the repository, also for the programs of reliability/, which run from `dist`. */
export const root = basename(above) === 'dist' ? dirname(above) : above;

let built: Promise<unknown> | undefined;

/** Builds the service with the command of `npm start`. Under the test runner it is built once for all files. */
export async function build(): Promise<void> {
    built ??= fromRunner('build') ?? promisify(execFile)('npm', ['run', '--silent', 'prestart'], { cwd: root });
    await built;
}

/** A program of the service in a process of its own. */
export interface Program {
    child: ChildProcess;
    out: string;
    err: string;
    /** the exit code; null while it runs, and when it was killed */
    ended: Promise<number | null>;
}

/** The command of an npm script, without the build before it: `['node', 'dist/src/operations/main.js']`. */
function commandOf(script: 'start' | 'admin'): readonly string[] {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return String(scripts[script]).split('&&').at(-1)?.trim().replace(/^exec /, '').split(' ') ?? [];
}

/**
 * Starts what `npm start` or `npm run admin` starts, without the tester's own settings and `.env`. Call {@link build} first.
 * @param log a file for the standard output, which is then not in `out`
 */
export function startProgram(script: 'start' | 'admin', env: Record<string, string>, { args = [], log }: { args?: readonly string[]; log?: string } = {}): Program {
    const [command = '', ...rest] = commandOf(script);
    const child = spawn(command, [...rest, ...args], {
        cwd: root, env: { ...process.env, ...fakeHost(env).env }, stdio: ['ignore', log === undefined ? 'pipe' : openSync(log, 'w'), 'pipe']
    });
    const program: Program = { child, out: '', err: '', ended: new Promise((end) => void child.once('close', end)) };
    child.stdout?.on('data', (data) => {
        program.out += data;
    });
    child.stderr?.on('data', (data) => {
        program.err += data;
    });
    return program;
}

/** Where a started service listens. */
export async function addressIn(program: Program): Promise<string> {
    await until(() => program.err.includes('Ctrl-C') || program.child.exitCode !== null, 180_000);
    const [, url] = /Pagewright is at (http:\S+)/.exec(program.err) ?? [];
    if (url === undefined) {
        throw new Error(`It did not start: ${program.err}`);
    }

    return url;
}
