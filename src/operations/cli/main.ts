import { parseArgs } from 'node:util';

import { UsageError } from './arguments';
import type { Arguments } from './arguments';
import { NoSuchUser, NotConfirmed } from './command';
import type { Command } from './command';
import { commands } from './commands';
import type { Context } from './context';
import { readConfig } from '../../config';
import { errorMessage } from '../../database/statements/error-message';
import { environmentOf, realHost } from '../process/host';
import type { Host } from '../process/host';
import { makeLogger } from '../process/logger';
import { unknownSettings } from '../process/unknown-settings';

/** Exit codes */
const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
const NOBODY = 3;
const UNCONFIRMED = 4;

/** Characters before what a command does, in the list of all. A longer usage has a line of its own. */
const COLUMN = 54;

/** The words before the name of a command. */
const programOf = ({ env }: Host): string => (env.npm_lifecycle_event === 'admin' ? 'npm run admin --' : 'pagewright admin');

const overview = (program: string): string => `usage: ${program} <command>

${Object.values(commands).map(({ usage, summary }) => `  ${usage.padEnd(COLUMN)}${usage.length < COLUMN ? '' : `\n  ${' '.repeat(COLUMN)}`}${summary}`).join('\n')}

Add --help to a command to read more about it. All commands use the database of the service (DATABASE_URL or DATA_DIR).
They can run beside the service, except rollback, restore and distribute. What destroys something needs --yes.

exit codes: ${DONE} done, ${FAILED} failed, ${MISUSED} wrong command line, ${NOBODY} no such user, ${UNCONFIRMED} nothing was done because --yes is missing
`;

/**
 * Runs one command of the operators' command line.
 * @returns the exit code
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
    const [name = '', ...args] = argv;
    const program = programOf(host);
    if (name === '--help' || name === '-h' || name === 'help') {
        host.stdout.write(overview(program));
        return DONE;
    }

    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) {
        host.stderr.write(`${name === '' ? 'The command is missing.' : `There is no command "${name}".`}\n\n${overview(program)}`);
        return MISUSED;
    }

    try {
        const given = read(command, args);
        if (given.values.help) {
            host.stdout.write(`usage: ${program} ${command.usage}\n\n${command.summary}\n\n${command.help}\n`);
            return DONE;
        }

        await interruptibly(host, program, command.prepare(given));
        return DONE;
    }
    catch (error) {
        host.stderr.write(`${errorMessage(error)}\n`);
        if (error instanceof UsageError) {
            host.stderr.write(`usage: ${program} ${command.usage}\n`);
        }

        return exitCodeOf(error);
    }
}

function exitCodeOf(error: unknown): number {
    if (error instanceof UsageError) {
        return MISUSED;
    }

    if (error instanceof NotConfirmed) {
        return UNCONFIRMED;
    }

    return error instanceof NoSuchUser ? NOBODY : FAILED;
}

function read({ options }: Command, args: string[]): Arguments {
    try {
        return parseArgs({ args, allowPositionals: true, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    }
    catch (error) {
        throw new UsageError(errorMessage(error));
    }
}

/** More than the longest password that is accepted, in bytes. */
const LONGEST_LINE = 10_000;

async function firstLine(input: Host['stdin']): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of input) {
        const part = Buffer.from(chunk);
        chunks.push(part);
        bytes += part.length;
        if (part.includes('\n') || bytes > LONGEST_LINE) {
            break;
        }
    }

    return Buffer.concat(chunks).toString().replace(/\r?\n[^]*/, '');
}

async function interruptibly(host: Host, program: string, work: (context: Context) => Promise<void>): Promise<void> {
    const interruption = new AbortController();
    const cut = (): void => {
        interruption.abort();
        host.exit(FAILED);
    };

    host.events.once('SIGINT', cut).once('SIGTERM', cut);
    try {
        const env = environmentOf(host);
        unknownSettings(env).forEach((warning) => host.stderr.write(`${warning}\n`));
        await work({
            config: readConfig(env),
            env,
            program,
            filePool: host.filePool,
            logger: makeLogger('error', host.stderr, host.events),
            interrupted: interruption.signal,
            readLine: () => firstLine(host.stdin),
            print: (line) => void host.stdout.write(`${line}\n`),
            remark: (line) => void host.stderr.write(`${line}\n`)
        });
    }
    finally {
        host.events.off('SIGINT', cut).off('SIGTERM', cut);
    }
}

// The tests start this as a process of its own, where coverage is not measured.
/* $lab:coverage:off$ */
if (require.main === module) {
    // If nobody reads the output any more (`users | head`), the command is interrupted.
    process.stdout.on('error', () => void realHost.events.emit('SIGTERM'));
    void run(process.argv.slice(2), realHost).then(realHost.exit);
}
/* $lab:coverage:on$ */
