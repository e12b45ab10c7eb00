import { inRegion } from '../region';

/** A number in the way of a language. */
export const numberIn = (language: string, value: number): string => new Intl.NumberFormat(inRegion(language)).format(value);

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes in the largest unit of which there is at least one, in words of a language. */
export function bytesIn(language: string, bytes: number): string {
    const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
    return new Intl.NumberFormat(inRegion(language), { style: 'unit', unit: units[power], unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 }).format(bytes / 1000 ** power);
}
