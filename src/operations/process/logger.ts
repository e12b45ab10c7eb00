import type { EventEmitter } from 'node:events';

import { pino } from 'pino';
import type { Logger } from 'pino';
import { isColorSupported, prettyFactory } from 'pino-pretty';

import type { Output } from './host';

/**
 * Writes JSON, one object in each line; in a terminal, readable lines. The first line in a turn of the event loop is written at
 * once, further ones together at its end, because a system call for each would be a tenth of the cost of a request.
 * All lines are written before the process exits.
 */
export function makeLogger(level: string, output: Output, events: EventEmitter): Logger {
    const format = output.isTTY
        ? prettyFactory({ colorize: isColorSupported, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' })
        : (line: string) => line;

    /** lines that wait for the end of the turn; undefined if none was written in it */
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
