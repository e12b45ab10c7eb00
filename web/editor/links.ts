/** A link's address, from what somebody has typed; or why it is none. */
export type Address = { href: string } | { problem: 'unfinished' | 'only_web' };

const mail = /^(?:mailto:)?([\w.!#$%&*+/=?^`{|}~-]+@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}]{2,})$/iu;

/** A host that somebody may mean: with an ending of letters, which a number such as 3.14 lacks. */
const named = /^(?:[^.]+\.)+(?:xn--[a-z0-9-]+|[\p{L}]{2,})$/iu;

/** Whether a text begins as a scheme does, and not as a host with a port. */
const isScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i;

/** The address that is meant: people leave out `https://`. */
export function addressOf(typed: string): Address {
    const text = typed.trim();
    const to = mail.exec(text)?.[1];
    if (to !== undefined) {
        return { href: `mailto:${to}` };
    }

    if (isScheme.test(text) && !/^https?:/i.test(text)) {
        return { problem: 'only_web' };
    }

    const whole = /^https?:/i.test(text) ? text : `https://${text.replace(/^\/+/, '')}`;
    if (/\s/.test(whole) || !URL.canParse(whole)) {
        return { problem: 'unfinished' };
    }

    const { href, hostname } = new URL(whole);
    // Who writes the scheme may also mean a host of their own network.
    const isHost = named.test(hostname) || (whole === text && /^(?:localhost|[\d.]+|\[.*\])$/.test(hostname));
    return isHost ? { href } : { problem: 'unfinished' };
}
