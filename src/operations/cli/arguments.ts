import type { parseArgs } from 'node:util';

import { isId } from '../../api/request/schema';
import { fullScope } from '../../config/scopes';
import type { Scope } from '../../config/scopes';
import { MAX_TOKEN_TTL } from '../../limits';
import { isPermission, permissions } from '../../accounts/users/permissions';
import type { Permission } from '../../accounts/users/permissions';

/** The command line is invalid. */
export class UsageError extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'UsageError';
    }
}

/** The arguments of a command. Each function below takes one of them. */
export type Arguments = Pick<ReturnType<typeof parseArgs>, 'positionals' | 'values'>;

const DAY = 24 * 3600;
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY };

/** A hundred years, in seconds. More is a typing error, and more than PostgreSQL can subtract from a date. */
const LONGEST = 100 * 365 * DAY;

export function usernameArgument({ positionals }: Arguments): string {
    const name = positionals.shift();
    if (name === undefined) {
        throw new UsageError('The username is missing.');
    }

    return name;
}

/** The id of a thing. @param what the word for it */
export function idArgument({ positionals }: Arguments, what: string): string {
    const id = positionals.shift();
    if (id === undefined || !isId(id)) {
        throw new UsageError(id === undefined ? `The id of the ${what} is missing.` : `"${id}" is no id.`);
    }

    return id;
}

export function file({ positionals }: Arguments): string {
    const path = positionals.shift();
    if (path === undefined) {
        throw new UsageError('The file name is missing.');
    }

    return path;
}

export function permission({ positionals }: Arguments): Permission {
    const which = positionals.shift();
    if (!isPermission(which)) {
        const known = permissions.map((one) => `"${one}"`).join(' or ');
        throw new UsageError(which === undefined ? `The permission is missing: ${known}.` : `The permission must be ${known}, not "${which}".`);
    }

    return which;
}

export function noneLeft({ positionals }: Arguments): void {
    if (positionals.length > 0) {
        throw new UsageError(`Too many arguments: ${positionals.join(' ')}`);
    }
}

export const flag = ({ values }: Arguments, name: string): boolean => values[name] === true;

export function scopeOf({ values: { scope } }: Arguments): Scope[] {
    if (scope === undefined) {
        return [...fullScope];
    }

    const names = String(scope).split(',').map((name) => name.trim());
    const known = fullScope.filter((name) => names.includes(name));
    if (known.length === 0 || names.some((name) => !known.some((one) => one === name))) {
        throw new UsageError(`--scope must be ${fullScope.join(' or ')}, or both with a comma between them, not "${scope}".`);
    }

    return known;
}

/** The value of a numeric option; undefined if it is left out. */
export function wholeNumber({ values }: Arguments, name: string, { least, most }: { least: number; most: number }): number | undefined {
    const value = values[name];
    if (value === undefined) {
        return undefined;
    }

    const count = Number(value);
    if (!Number.isInteger(count) || count < least || count > most) {
        throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not "${value}".`);
    }

    return count;
}

/** The value of --days in seconds; undefined if it is left out. */
export function days(given: Arguments): number | undefined {
    const count = wholeNumber(given, 'days', { least: 1, most: MAX_TOKEN_TTL / DAY });
    return count === undefined ? undefined : count * DAY;
}

/** The value of a duration option in seconds. */
export function seconds({ values }: Arguments, name: string, otherwise: string): number {
    const age = String(values[name] ?? otherwise);
    const [, count, unit = ''] = /^(\d{1,12})([smhdw])$/.exec(age) ?? [];
    const total = Number(count) * (units[unit] ?? Number.NaN);
    if (!(total <= LONGEST)) {
        throw new UsageError(`--${name} must be a number with s, m, h, d or w, such as ${otherwise}, and at most a hundred years, not "${age}".`);
    }

    return total;
}
