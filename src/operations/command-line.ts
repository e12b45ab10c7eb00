import { readFileSync } from 'node:fs';

import type { Host } from './process/host';

const usage = `usage: pagewright [admin <command>]

Without arguments, this runs the service until Ctrl-C or SIGTERM. It keeps its data in DATA_DIR (.data in the working folder),
or in the PostgreSQL database that DATABASE_URL names. Settings are environment variables, or lines of a file .env.

  admin <command>   one of the operators' commands; "pagewright admin --help" lists them
  --version         the version
  --help            this text
`;

// Only what is run is loaded: the service takes longer to load than most commands to run.
/* eslint-disable no-restricted-syntax */
const cli = (): typeof import('./cli/main') => require('./cli/main');
const service = (): typeof import('./main') => require('./main');
/* eslint-enable no-restricted-syntax */

/** Runs the program `pagewright`. Ends the process through `host`. */
export async function commandLine(argv: readonly string[], host: Host): Promise<void> {
    const [command, ...rest] = argv;
    switch (command) {
        case undefined:
            return await service().run(host);
        case 'admin':
            return host.exit(await cli().run(rest, host));
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
