import { isIP } from 'node:net';

/** The word for all addresses on the public internet. */
export const PUBLIC = 'public';

/** Whether a text is a network such as `10.0.0.0/8` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
    const [, address = '', bits = ''] = /^([0-9a-fA-F.:]+)\/([0-9]{1,3})$/.exec(text) ?? [];
    const kind = isIP(address);
    return kind !== 0 && Number(bits) <= (kind === 4 ? 32 : 128);
}
