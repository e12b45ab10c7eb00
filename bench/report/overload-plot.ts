/** The rate of successes and their latency, by the rate of requests, of the service run in one way. */
export interface Plotted {
    service: string;
    steps: readonly { factor: number; good: number; p99: number | null }[];
}

/** Goodput by the rate of requests, in each way to run the service, and the latency of the successes, as an SVG. */
export async function plotOverload(capacity: number, curves: readonly Plotted[]): Promise<string> {
    // Both are ES modules, which this build can load at run time only.
    const [vega, lite] = await Promise.all([import('vega'), import('vega-lite')]);
    const values = curves.flatMap(({ service, steps }) => steps.map(({ factor, good, p99 }) => ({ service, factor, good, p99 })));
    const x = { field: 'factor', type: 'quantitative' as const, title: 'requests a second, as a multiple of the capacity', scale: { domain: [0, 3] } };
    const color = { field: 'service', type: 'nominal' as const, title: null, scale: { range: ['#4c78a8', '#54a24b', '#e45756'] }, sort: null };
    const panel = (title: string, field: string, more: object, marks: readonly object[] = []) => ({
        title: { text: title, anchor: 'start' as const, fontSize: 13 },
        width: 380,
        height: 240,
        layer: [
            { data: { values }, mark: { type: 'line' as const, point: true }, encoding: { x, color, y: { field, type: 'quantitative' as const, title: null, ...more } } },
            ...marks
        ]
    });
    // The best possible: every request below the capacity, and the capacity beyond it.
    const best = {
        data: { values: [{ factor: 0, good: 0 }, { factor: 1, good: capacity }, { factor: 3, good: capacity }] },
        mark: { type: 'line' as const, color: '#999', strokeDash: [4, 4] },
        encoding: { x, y: { field: 'good', type: 'quantitative' as const } }
    };
    const { spec } = lite.compile({
        background: 'white',
        hconcat: [
            panel('Successes within a second, per second (dashed: the best possible)', 'good', {}, [best]),
            panel('p99 of the successes, in ms', 'p99', { scale: { type: 'log' } })
        ]
    } as Parameters<typeof lite.compile>[0]);
    return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}
