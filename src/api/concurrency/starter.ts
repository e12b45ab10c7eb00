import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';

import type { Order, NodeProgram, StartReport } from './process-starter';

/** A process that was started. Emits `message` and, once, `exit`. */
export interface Started extends EventEmitter<{ message: [unknown]; exit: [] }> {
    send(message: object): void;
    kill(): void;
}

/** Starts processes. */
export interface Starter {
    start(program: NodeProgram): Started;
    /** Ends the process that starts them. */
    close(): void;
}

/**
 * Starts processes by a small process, which is started at once. To start one stops the whole process that does it until its memory is
 * mapped again for the other: a tenth of a second and more for a large one on a busy machine.
 * @param program that process
 */
export function processStarter(program = join(__dirname, 'process-starter.js')): Starter {
    const all = new Map<number, Started>();
    let last = 0;
    let starter: ChildProcess | undefined;

    const running = (): ChildProcess => {
        if (starter === undefined) {
            const made = fork(program, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: ['--max-old-space-size=32'], env: { PATH: process.env.PATH } });
            starter = made;
            made.unref();
            made.channel?.unref();
            made.on('message', ({ id, ...event }: StartReport) => {
                if ('message' in event) {
                    all.get(id)?.emit('message', event.message);
                }
                else {
                    end(id);
                }
            });
            // If it cannot be started, there is an error and no exit.
            made.on('exit', allEnd).on('error', allEnd);
        }

        return starter;
    };

    const allEnd = (): void => {
        starter = undefined;
        // They end with it.
        [...all.keys()].forEach(end);
    };

    const end = (id: number): void => {
        const one = all.get(id);
        all.delete(id);
        one?.emit('exit');
    };

    // If it has ended, that is reported by itself.
    const order = (what: Order): void => void running().send(what, () => undefined);

    running();
    return {
        start: (start) => {
            const id = ++last;
            const one: Started = Object.assign(new EventEmitter<{ message: [unknown]; exit: [] }>(), { send: (message: object) => order({ id, message }), kill: () => order({ id }) });
            all.set(id, one);
            order({ id, start });
            return one;
        },
        close: () => void starter?.disconnect()
    };
}
