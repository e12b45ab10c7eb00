import { defined } from '../../api/errors/defined';
import { variables } from '../../config';

/** Prefixes of the names of settings. */
const prefixes = ['AUTH_', 'DATABASE_', 'METRICS_', 'SITE_'];

/**
 * Warnings about variables that look like misspelt settings, such as `PROT`: one letter is missing, added, wrong or swapped with
 * the next (two in a long name), or the name has a prefix of settings.
 */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
    const set = Object.keys(environment).filter((name) => environment[name] !== undefined && environment[name] !== '' && !variables.includes(name));
    return set.flatMap((name) => {
        const meant = variables.find((variable) => editsBetween(name.toUpperCase(), variable) <= (variable.length < 8 ? 1 : 2));
        if (meant !== undefined) {
            return [`${name} is not a setting, and is ignored. Did you mean ${meant}?`];
        }

        return prefixes.some((prefix) => name.startsWith(prefix)) ? [`${name} is not a setting, and is ignored. .env.example lists all settings.`] : [];
    });
}

/** The optimal string alignment distance: how many letters have to be added, removed, replaced or swapped with the next. */
function editsBetween(from: string, to: string): number {
    let before: number[] = [];
    let last = Array.from({ length: to.length + 1 }, (_, j) => j);
    for (let i = 1; i <= from.length; ++i) {
        const row = [i];
        for (let j = 1; j <= to.length; ++j) {
            const replaced = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
            const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? at(before, j - 2) + 1 : Infinity;
            row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
        }

        [before, last] = [last, row];
    }

    return at(last, to.length);
}

const at = (row: readonly number[], index: number): number => defined(row[index]);
