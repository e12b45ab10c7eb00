/** Swagger UI and its components, as far as this page uses them. */

/** A response, as the page gets it. */
export interface SwaggerResponse {
    status: number;
    url: string;
    text?: string;
    body?: { token?: { access_token: string }; user?: { id: string; username: string } };
}

export interface SwaggerUi {
    preauthorizeApiKey(scheme: string, token: string): void;
}

/** An operation in the state of Swagger UI, as maps of Immutable. */
export interface KeptOperation {
    get(name: 'path' | 'method'): string;
    getIn(path: readonly string[]): unknown;
}

/** A collection of Immutable. */
export interface Kept<Value> {
    size: number;
    filter(test: (value: Value) => boolean): Kept<Value>;
    slice(from: number, to?: number): Kept<Value>;
    map<Other>(change: (value: Value) => Other): Kept<Other>;
    reduce(add: (sum: number, value: Value) => number, start: number): number;
}

export interface KeptTag {
    get(name: 'operations'): Kept<KeptOperation>;
    set(name: 'operations', operations: Kept<KeptOperation>): KeptTag;
}

interface Props {
    /** of a description */
    source?: string;
    /** of a link to an operation or a tag */
    path?: string;
    text?: string;
    /** of the filter */
    specSelectors: { taggedOperations(): Kept<KeptTag>; operations(): Kept<unknown> };
    layoutSelectors: { currentFilter(): unknown };
    layoutActions: { updateFilter(words: string): void };
}

/** A React component, and the function that creates an element of one. */
export type Component = (props: Props) => unknown;
export interface System {
    React: { createElement(type: string | Component, props: object | null, ...children: unknown[]): unknown };
}
