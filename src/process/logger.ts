import type { EventEmitter } from 'node:events';

import { pino } from 'pino';
import type { Logger } from 'pino';
import { isColorSupported, prettyFactory } from 'pino-pretty';

import type { Output } from './host';

/**
 * JSON, one object a line; in a terminal, lines for people. Written in this thread: a line at once, those that follow it
 * in the same turn of the event loop together at its end, as a system call for each is a tenth of what a request costs.
 * All are written before `events` tells of an exit.
 */
export function makeLogger(level: string, output: Output, events: EventEmitter): Logger {
    const format = output.isTTY
        ? prettyFactory({ colorize: isColorSupported, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' })
        : (line: string) => line;

    /** lines that wait for the end of the turn; undefined where none has been written in it */
    let waiting: string | undefined;
    const flush = (): void => {
        if (waiting) {
            output.write(waiting);
        }

        waiting = undefined;
    };

    events.on('exit', flush);
    return pino({ level }, {
        write: (line) => {
            if (waiting === undefined) {
                output.write(format(line));
                waiting = '';
                setImmediate(flush);
            }
            else {
                waiting += format(line);
            }
        }
    });
}
