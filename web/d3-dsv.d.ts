/** The part of d3-dsv that is used; it brings no types. */
declare module 'd3-dsv' {
    /** @returns what reads and writes values with this character between them, as RFC 4180 has it */
    export function dsvFormat(separator: string): { parseRows(text: string): string[][] };
}
