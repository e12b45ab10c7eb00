import { Gauge } from 'prom-client';
import type { Counter, Histogram, Registry } from 'prom-client';

type Measured = ReturnType<Gauge['get']>;

/** A metric under another name too. */
class FormerName extends Gauge {
    readonly #former: string;
    readonly #metric: Counter | Gauge | Histogram;

    constructor(name: string, metric: Counter | Gauge | Histogram, registry: Registry) {
        super({ name, help: 'A name before 0.4, for one release: the same with pagewright_ before it stays.', registers: [registry] });
        this.#former = name;
        this.#metric = metric;
    }

    override async get(): Measured {
        const { name, values, ...rest } = await this.#metric.get();
        return {
            ...rest, name: this.#former,
            // Those of a histogram have names of their own, such as that of the count.
            values: values.map((value) => ('metricName' in value ? { ...value, metricName: String(value.metricName).replace(name, this.#former) } : value))
        };
    }
}

/** Shows a metric `pagewright_…` also under its name of the releases before 0.4, which had no prefix. */
export function keepFormerName(former: string, metric: Counter | Gauge | Histogram, registry: Registry): void {
    void new FormerName(former, metric, registry);
}
