import { isMet } from '../measure/figures';
import type { Result } from '../measure/figures';

interface Bar {
    scenario: string;
    ratio: number;
    low: number;
    high: number;
    /** where the number is written */
    end: number;
    goal: number;
    met: boolean;
}

function barOf({ title, median, rounds, goals }: Result): Bar[] {
    const ratios = rounds.map(({ ratio }) => ratio).filter((ratio) => ratio !== null);
    const goal = goals.find(({ figure }) => figure === 'ratio');
    const mark = goal?.least ?? goal?.most;
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
    return goal === undefined || mark === undefined || median.ratio === null ? [] : [{
        scenario: title, ratio: median.ratio, low, high, end: Math.max(high, mark), goal: mark, met: isMet([goal], median) === true
    }];
}

/** The ratios as an SVG: bars for the medians, thin lines from the lowest round to the highest, a mark at each target. */
export async function plot(results: readonly Result[]): Promise<string> {
    // Both are ES modules, which this build can load at run time only.
    const [vega, lite] = await Promise.all([import('vega'), import('vega-lite')]);
    const panel = (title: string, bars: readonly Bar[]) => ({
        title: { text: title, anchor: 'start' as const, fontSize: 13 },
        width: 480,
        height: { step: 22 },
        data: { values: [...bars] },
        encoding: { y: { field: 'scenario', type: 'nominal' as const, sort: null, title: null, axis: { labelLimit: 460 } } },
        layer: [
            {
                mark: { type: 'bar' as const, height: 13 },
                encoding: {
                    x: { field: 'ratio', type: 'quantitative' as const, title: null },
                    color: { field: 'met', type: 'nominal' as const, legend: null, scale: { domain: [true, false], range: ['#4c78a8', '#e45756'] } }
                }
            },
            { mark: { type: 'rule' as const, color: '#222' }, encoding: { x: { field: 'low', type: 'quantitative' as const }, x2: { field: 'high' } } },
            {
                mark: { type: 'tick' as const, color: '#111', thickness: 3, size: 20 },
                encoding: { x: { field: 'goal', type: 'quantitative' as const } }
            },
            {
                mark: { type: 'text' as const, align: 'left' as const, dx: 4, fontSize: 11 },
                encoding: { x: { field: 'end', type: 'quantitative' as const }, text: { field: 'ratio', type: 'quantitative' as const, format: '.2f' } }
            }
        ]
    });
    const panels = [
        panel('Requests a second, compared with hapi and one prepared query (more is better; black mark: target)', results.filter(({ baseline }) => baseline === 'yardstick').flatMap(barOf)),
        panel('Requests a second, compared with bare hapi and the same bytes (more is better; black mark: target)', results.filter(({ baseline }) => baseline === 'hapi').flatMap(barOf)),
        panel('Time, compared with the same rows in bare SQL (less is better; black mark: target)', results.filter(({ baseline }) => baseline === 'sql').flatMap(barOf))
    ].filter(({ data }) => data.values.length > 0);
    const { spec } = lite.compile({ background: 'white', vconcat: panels, resolve: { scale: { x: 'independent', y: 'independent' } } });
    return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}
