/* A small process that starts others for a large one, and passes messages on. starter.ts starts it. */

// The tests start this as a process of its own, where coverage is not measured.
/* $lab:coverage:off$ */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** The program to run. */
export interface NodeProgram {
    program: string;
    args: readonly string[];
    env: NodeJS.ProcessEnv;
}

/** The command for a process: start it, send it a message, or else kill it. */
export interface Order {
    id: number;
    start?: NodeProgram;
    message?: object;
}

/** A message of a process, or without one that it has ended. */
export interface StartReport {
    id: number;
    message?: unknown;
}

const children = new Map<number, ChildProcess>();

const report = (event: StartReport): void => void process.send?.(event, () => undefined);

function start(id: number, { program, args, env }: NodeProgram): void {
    // It gets neither the settings, as they have passwords, nor options of Node.js for debuggers and workers.
    const child = fork(program, args, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: ['--max-old-space-size=128'], env });
    children.set(id, child);
    child.on('message', (message) => report({ id, message }));
    // If it cannot be started, there is an error and no exit.
    for (const event of ['exit', 'error']) {
        child.on(event, () => {
            children.delete(id);
            report({ id });
        });
    }
}

process.on('message', ({ id, start: program, message }: Order) => {
    if (program !== undefined) {
        start(id, program);
    }
    else if (message !== undefined) {
        children.get(id)?.send(message, () => undefined);
    }
    else {
        children.get(id)?.kill('SIGKILL');
    }
});
// The service was killed, and so the others get no more messages and end.
process.on('disconnect', () => process.exit());
/* $lab:coverage:on$ */
