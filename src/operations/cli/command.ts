import type { ParseArgsConfig } from 'node:util';

import type { Arguments } from './arguments';
import type { Context } from './context';

/** One command of the operators' command line. */
export interface Command {
    /** the name and the arguments, as in the help */
    usage: string;
    /** what it does, on one line */
    summary: string;
    /** more about it, for --help */
    help: string;
    options?: ParseArgsConfig['options'];
    /** Reads the arguments, before anything is opened, and returns the work. @throws UsageError */
    prepare(given: Arguments): (context: Context) => Promise<void>;
}

export type Commands = Readonly<Record<string, Command>>;

/** There is no such user. */
export class NoSuchUser extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'NoSuchUser';
    }
}

export const noSuchUser = (name: string): NoSuchUser => new NoSuchUser(`There is no user "${name}", or the account was deleted.`);

/** The command has only printed what it would do, because --yes was missing. */
export class NotConfirmed extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'NotConfirmed';
    }
}

/** The option of every command that destroys something. */
export const yes = { yes: { type: 'boolean' } } as const;

export const yesHelp = '--yes   do it; without this the command only says what it would do, and exits with 4';
