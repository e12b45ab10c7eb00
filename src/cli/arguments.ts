import type { parseArgs } from 'node:util';

import { scopes } from '../http/caller';
import type { Scope } from '../http/caller';
import { MAX_TOKEN_TTL } from '../config';
import type { Permission } from './queries';

/** The command line was not as the help says. */
export class UsageError extends Error {
    constructor(message: string) {
        super(message);
        this.name = 'UsageError';
    }
}

/** The arguments of a command; each function below takes its own off them. */
export type Given = Pick<ReturnType<typeof parseArgs>, 'positionals' | 'values'>;

const DAY = 24 * 3600;
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY, w: 7 * DAY };

/** A century: more is a slip of the hand, and past what PostgreSQL counts back. */
const LONGEST = 100 * 365 * DAY;

export function username({ positionals }: Given): string {
    const name = positionals.shift();
    if (name === undefined) {
        throw new UsageError('A username is missing.');
    }

    return name;
}

export function file({ positionals }: Given): string {
    const path = positionals.shift();
    if (path === undefined) {
        throw new UsageError('The name of a file is missing.');
    }

    return path;
}

export function permission({ positionals }: Given): Permission {
    const which = positionals.shift();
    if (which !== 'moderator' && which !== 'staff') {
        throw new UsageError(`A permission is "moderator" or "staff", not ${which === undefined ? 'missing' : `"${which}"`}.`);
    }

    return which;
}

export function noneLeft({ positionals }: Given): void {
    if (positionals.length > 0) {
        throw new UsageError(`There is nothing to do with "${positionals.join(' ')}".`);
    }
}

export function scopeOf({ values: { scope } }: Given): Scope[] {
    if (scope === undefined) {
        return [...scopes];
    }

    const names = String(scope).split(',').map((name) => name.trim());
    const known = scopes.filter((name) => names.includes(name));
    if (known.length === 0 || names.some((name) => !known.some((one) => one === name))) {
        throw new UsageError(`--scope takes ${scopes.join(' or ')}, or both with a comma between them, not "${scope}".`);
    }

    return known;
}

/** Seconds; undefined where none are given. */
export function days({ values }: Given): number | undefined {
    if (values.days === undefined) {
        return undefined;
    }

    const most = MAX_TOKEN_TTL / DAY;
    const count = Number(values.days);
    if (!Number.isInteger(count) || count < 1 || count > most) {
        throw new UsageError(`--days takes a whole number from 1 to ${most}, not "${values.days}".`);
    }

    return count * DAY;
}

export function seconds({ values }: Given): number {
    const age = String(values['older-than'] ?? '30d');
    const [, count, unit = ''] = /^(\d{1,12})([smhdw])$/.exec(age) ?? [];
    const total = Number(count) * (units[unit] ?? Number.NaN);
    if (!(total <= LONGEST)) {
        throw new UsageError(`--older-than takes a number with s, m, h, d or w, such as 30d, of up to a hundred years, not "${age}".`);
    }

    return total;
}
