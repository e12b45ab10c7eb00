import type { ComponentChildren, JSX } from 'preact';

/** A labelled field. */
export function Field({ label, children, wide = false }: { label: string; children: ComponentChildren; wide?: boolean }): JSX.Element {
    return <label class={wide ? 'field wide' : 'field'}><span>{label}</span>{children}</label>;
}
