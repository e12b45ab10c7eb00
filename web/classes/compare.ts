import { tidy } from './kinds';

/** One key for names that differ only in case, width or composition. */
const keyOf = (name: string): string => tidy(name).normalize('NFKC').toLowerCase();

function counted(names: readonly string[]): Map<string, number> {
    const counts = new Map<string, number>();
    names.forEach((name) => counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1));
    return counts;
}

/** Those of a list who are in a class already, and those who are not. Somebody who is twice in the list is missing as long as the class has only one of this name. */
export function compared(list: readonly string[], present: readonly string[]): { missing: string[]; there: string[] } {
    const left = counted(present);
    const missing: string[] = [];
    const there: string[] = [];
    for (const name of list) {
        const places = left.get(keyOf(name)) ?? 0;
        left.set(keyOf(name), places - 1);
        (places > 0 ? there : missing).push(name);
    }

    return { missing, there };
}

/** The names that are in a list more than once, each once. */
export function repeated(list: readonly string[]): string[] {
    const counts = counted(list);
    return list.filter((name, at) => (counts.get(keyOf(name)) ?? 0) > 1 && list.findIndex((other) => keyOf(other) === keyOf(name)) === at);
}
