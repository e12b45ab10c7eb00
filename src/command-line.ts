import { readFileSync } from 'node:fs';

import { run as runCommand } from './cli/main';
import { run as runService } from './main';
import type { Host } from './process/host';

const usage = `usage: pagewright [admin <command>]

Without arguments, this runs the service until Ctrl-C or SIGTERM. It keeps its data in DATA_DIR (.data in the working folder),
or in the PostgreSQL database that DATABASE_URL names. Settings are environment variables, or lines of a file .env.

  admin <command>   one of the operators' commands; "pagewright admin --help" lists them
  --version         the version
  --help            this text
`;

/** Runs the program `pagewright`. Ends the process through `host`. */
export async function commandLine(argv: readonly string[], host: Host): Promise<void> {
    const [command, ...rest] = argv;
    switch (command) {
        case undefined:
            return await runService(host);
        case 'admin':
            return host.exit(await runCommand(rest, host));
        case '--help':
        case '-h':
            host.stdout.write(usage);
            return host.exit(0);
        case '--version':
            host.stdout.write(`${JSON.parse(readFileSync(require.resolve('#package'), 'utf8')).version}\n`);
            return host.exit(0);
        default:
            host.stderr.write(`There is no command "${command}".\n\n${usage}`);
            return host.exit(2);
    }
}
