import type { Baseline, Fact, Figure, Goal, Result } from '../measure/figures';

/** A Markdown table that is also readable in a terminal: the first column is aligned to the left, the others to the right. */
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

/** Rounds to a sensible number of digits. */
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

const shown = ({ baseline, median }: Result): string => {
    return median.ratio === null ? '' : `${number(median.ratio, 2)}${baseline === null ? '' : against[baseline]}`;
};

/** Two tables: scenarios with many clients, and scenarios of single large calls, which have other figures. */
export function resultTables(results: readonly Result[]): string {
    const single = (result: Result): boolean => ['sql', 'none'].includes(result.baseline ?? (result.goals.length > 0 ? 'none' : ''));
    const aims = ({ goals }: Result): string => goals.map(target).join(', ');
    const failed = ({ title, goals, failure }: Result): string[] => [title, '', failure === null ? '' : 'FAILED', goals.map(target).join(', '), 'NO'];
    const loaded = tableOf(
        ['many clients', 'per second', 'ratio', 'target', 'met', 'p50 ms', 'p99 ms', 'CPU µs', 'PG CPU µs'],
        results.filter((result) => !single(result)).map((result) => (result.failure !== null ? failed(result) : [
            result.title, number(result.median.perSecond, 0), shown(result), aims(result), metWord(result.met),
            number(result.median.p50), number(result.median.p99), number(result.median.cpu, 0), number(result.median.pgCpu, 0)
        ])));
    const slow = tableOf(
        ['large calls', 'ratio', 'target', 'met', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'reader late ms', 'stall ms', 'CPU ms', 'PG CPU ms'],
        results.filter(single).map((result) => (result.failure !== null ? failed(result).toSpliced(1, 1) : [
            result.title, shown(result), aims(result), metWord(result.met),
            number(result.median.p50), number(result.median.p95), number(result.median.p99), number(result.median.max), number(result.median.late),
            number(result.median.stall), number(thousandth(result.median.cpu), 0), number(thousandth(result.median.pgCpu), 0)
        ])));
    return [loaded, slow].filter((table) => table.split('\n').length > 2).join('\n\n');
}

/** Each scenario with its ratio, its target and its time. */
export const screen = (results: readonly Result[]): string => tableOf(['scenario', 'per second', 'ratio', 'target', 'met', 'p50 ms', 'p95 ms'], results.map((result) => {
    const { title, median, goals, failure, met } = result;
    return [title, number(median.perSecond, 0), failure === null ? shown(result) : 'FAILED', goals.map(target).join(', '), metWord(failure === null ? met : false), number(median.p50), number(median.p95)];
}));

const thousandth = (value: number | null): number | null => (value === null ? null : value / 1000);

export const factTable = (facts: readonly Fact[]): string => tableOf(['other figures', 'measured', 'target', 'met'], facts.map(({ title, value, target: aim, met }) => {
    return [title, value, aim, metWord(met)];
}));
