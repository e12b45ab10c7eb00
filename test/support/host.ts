import { EventEmitter } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { variables } from '../../src/config/index';
import type { Host } from '../../src/operations/process/host';
import { inProcesses } from './file-pools';

/** A fake process, which records its output and exit codes. */
export interface FakeHost extends Host {
    out: string;
    err: string;
    exits: number[];
}

/** The data folder of fake processes, unless they have one of their own. */
const dataDir = join(tmpdir(), `pagewright-host-${process.pid}`);
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));

/** Without the tester's own environment and `.env`. */
export function fakeHost(env: Record<string, string> = {}, { isTTY = false, isWorker = false, input = [] }: { isTTY?: boolean; isWorker?: boolean; input?: Buffer[] } = {}): FakeHost {
    const none = Object.fromEntries(variables.map((name) => [name, '']));
    const host: FakeHost = {
        env: { ...none, DATA_DIR: dataDir, ...env },
        events: new EventEmitter(),
        stdin: Readable.from(input),
        stdout: { isTTY, write: (text) => {
            host.out += text;
        } },
        stderr: { isTTY, write: (text) => {
            host.err += text;
        } },
        exit: (code) => void host.exits.push(code),
        isWorker,
        filePool: inProcesses,
        out: '',
        err: '',
        exits: []
    };
    return host;
}

/** Waits until the condition holds. */
export async function until(holds: () => unknown, patience = 120_000): Promise<void> {
    const deadline = Date.now() + patience;
    while (!await holds()) {
        if (Date.now() > deadline) {
            throw new Error(`Waited in vain until ${holds.toString()}`);
        }

        await sleep(10);
    }
}

/** Makes a Node server listen on a free local port, and returns the port. */
export async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
}
