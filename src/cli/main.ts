import { parseArgs } from 'node:util';

import { UsageError } from './arguments';
import type { Given } from './arguments';
import { commands, NoSuchUser } from './commands';
import type { Command } from './commands';
import type { Context } from './database';
import { readConfig } from '../config';
import { environmentOf, realHost, wordsOf } from '../process/host';
import type { Host } from '../process/host';
import { makeLogger } from '../process/logger';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;
const NOBODY = 3;

const overview = (): string => `usage: npm run admin -- <command>

${Object.values(commands).map(({ usage, summary }) => `  ${usage.padEnd(54)}${summary}`).join('\n')}

npm run admin -- <command> --help says more. All work on the database of the service (DATABASE_URL, or DATA_DIR), also
while that is running. "npm run --silent admin -- …" prints nothing but the result.

exit codes: ${DONE} done, ${FAILED} failed, ${MISUSED} not a command line as above, ${NOBODY} no such user
`;

/**
 * Runs one command of the operators' command line.
 * @returns the exit code
 */
export async function run(argv: readonly string[], host: Host): Promise<number> {
    const [name = '', ...args] = argv;
    if (name === '--help' || name === '-h' || name === 'help') {
        host.stdout.write(overview());
        return DONE;
    }

    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) {
        host.stderr.write(`${name === '' ? 'A command is missing.' : `There is no command "${name}".`}\n\n${overview()}`);
        return MISUSED;
    }

    try {
        const given = read(command, args);
        if (given.values.help) {
            host.stdout.write(`usage: npm run admin -- ${command.usage}\n\n${command.summary}\n\n${command.help}\n`);
            return DONE;
        }

        await interruptibly(host, command.prepare(given));
        return DONE;
    }
    catch (error) {
        host.stderr.write(`${wordsOf(error)}\n`);
        if (error instanceof UsageError) {
            host.stderr.write(`usage: npm run admin -- ${command.usage}\n`);
            return MISUSED;
        }

        return error instanceof NoSuchUser ? NOBODY : FAILED;
    }
}

function read({ options }: Command, args: string[]): Given {
    try {
        return parseArgs({ args, allowPositionals: true, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    }
    catch (error) {
        throw new UsageError(wordsOf(error));
    }
}

async function interruptibly(host: Host, work: (context: Context) => Promise<void>): Promise<void> {
    const interruption = new AbortController();
    const cut = (): void => {
        interruption.abort();
        host.exit(FAILED);
    };

    host.events.once('SIGINT', cut).once('SIGTERM', cut);
    try {
        const env = environmentOf(host);
        await work({
            config: readConfig(env),
            env,
            logger: makeLogger('error', host.stderr, host.events),
            interrupted: interruption.signal,
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
    // Whoever read the output has gone (`users | head`): that is an interruption like any other.
    process.stdout.on('error', () => void realHost.events.emit('SIGTERM'));
    void run(process.argv.slice(2), realHost).then(realHost.exit);
}
/* $lab:coverage:on$ */
