import { pino } from 'pino';
import type { Logger } from 'pino';
import { isColorSupported, prettyFactory } from 'pino-pretty';

import type { Output } from '../host';

/** JSON, one object a line; in a terminal, lines for people. Written at once and in this thread, so that no exit loses any. */
export function makeLogger(level: string, output: Output): Logger {
    const format = output.isTTY
        ? prettyFactory({ colorize: isColorSupported, singleLine: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' })
        : (line: string) => line;
    return pino({ level }, { write: (line) => void output.write(format(line)) });
}
