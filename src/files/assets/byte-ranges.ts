import type { ByteRange } from './storage';

/**
 * The part that a `Range` header asks for (RFC 9110 section 14.2): one range of bytes. Several, or other units, are as if there were no
 * header.
 * @param size bytes in all
 * @returns undefined for all of it, null for a range that is beyond the end
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined | null {
    const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
    if (first === '' && last === '') {
        return undefined;
    }

    const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
    if (first !== '' && last !== '' && Number(last) < start) {
        return undefined;
    }

    return start >= size ? null : { start, end };
}
