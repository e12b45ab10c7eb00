import type { Baseline, Fact, Figure, Goal, Result } from './figures';

/** A table that reads well both in a terminal and as Markdown: the first column to the left, the others to the right. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
    const widths = head.map((_title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length), 3));
    const line = (row: readonly string[]): string => `| ${widths.map((width, column) => {
        const text = row[column] ?? '';
        return column === 0 ? text.padEnd(width) : text.padStart(width);
    }).join(' | ')} |`;
    const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
    return [line(head), rule, ...rows.map(line)].join('\n');
}

const against: Readonly<Record<NonNullable<Baseline>, string>> = { yardstick: '', hapi: ' of bare hapi', sql: '× bare SQL' };

/** Digits enough to tell two machines apart, and no more. */
export function number(value: number | null, digits?: number): string {
    return value === null || Number.isNaN(value) ? '' : value.toFixed(digits ?? (value < 10 ? 2 : value < 100 ? 1 : 0));
}

const words: Readonly<Partial<Record<Figure, string>>> = { cpu: 'CPU', stall: 'stall' };
const units: Readonly<Partial<Record<Figure, string>>> = { cpu: ' µs', p50: ' ms', p95: ' ms', p99: ' ms', max: ' ms', stall: ' ms' };

export function target({ figure, least, most }: Goal): string {
    const name = figure === 'ratio' ? '' : `${words[figure] ?? figure} `;
    return `${name}${least === undefined ? `≤ ${most}` : `≥ ${least}`}${units[figure] ?? ''}`;
}

const metWord = (met: boolean | null): string => (met === null ? '' : met ? 'yes' : 'NO');

export function resultTable(results: readonly Result[]): string {
    const head = ['scenario', 'per second', 'ratio', 'target', 'met', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'stall ms', 'CPU µs', 'PG CPU µs'];
    return tableOf(head, results.map(({ title, baseline, goals, met, failure, median }) => {
        if (failure !== null) {
            return [title, 'FAILED', '', goals.map(target).join(', '), metWord(met)];
        }

        const ratio = median.ratio === null ? '' : `${number(median.ratio, 2)}${baseline === null ? '' : against[baseline]}`;
        // The longest of hundreds of thousands says more of the machine; it is told where it is what the scenario is about.
        const [max, stall] = baseline === 'yardstick' || baseline === 'hapi' ? [null, null] : [median.max, median.stall];
        return [
            title, number(median.perSecond, (median.perSecond ?? 0) < 100 ? 1 : 0), ratio, goals.map(target).join(', '), metWord(met),
            number(median.p50), number(median.p95), number(median.p99), number(max), number(stall), number(median.cpu, 0), number(median.pgCpu, 0)
        ];
    }));
}

export const factTable = (facts: readonly Fact[]): string => tableOf(['besides', 'measured', 'target', 'met'], facts.map(({ title, value, target: aim, met }) => {
    return [title, value, aim, metWord(met)];
}));
