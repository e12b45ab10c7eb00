import type { JSX } from 'preact';

/** Facts with their names, such as numbers. */
export function Figures({ label, of }: { label: string; of: readonly (readonly [name: string, value: string])[] }): JSX.Element {
    return (
        <section class="part">
            <h2>{label}</h2>
            <dl class="figures">{of.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
        </section>
    );
}
