import { readFileSync } from 'node:fs';

const { version: own }: { version: string } = JSON.parse(readFileSync(require.resolve('#package'), 'utf8'));

/** The version of this release, such as `0.3.0`. */
export const version = own;
