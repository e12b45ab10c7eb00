import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8's old generation grow to 1.6 times what is alive before it is collected; by default it grows to four times that. The flag is
 * not documented; docs/decisions/heap-growth.md says what it costs. V8 reads it after each collection, so it can be set at any time.
 */
export const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=60');
