/** A link's address, from what somebody has typed; or why it is none. */
export type Address = { href: string } | { problem: 'unfinished' | 'only_web' };

/** An address of e-mail, as the player links it. */
const mail = /^(?:mailto:\s*)?([^\s?#&<>"'%,;:@/]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}]{2,})$/iu;

/** A host that somebody may mean: with an ending of letters, which a number such as 3.14 lacks, and not that of a file. */
const named = /^(?:[^.]+\.)+(?!(?:jpe?g|png|gif|pdf|docx?|mp[34]|html?|txt)$)(?:xn--[a-z0-9-]+|[\p{L}]{2,})$/iu;

/** Whether a text begins as a scheme does, and not as a host with a port. */
const isScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i;

/** A scheme as people write it, also again behind the one that the field begins with. */
const scheme = /^(?:https?\s*[:;]?\s*[\\/]+\s*)*(https?)\s*[:;]?\s*[\\/]+\s*/i;

/** Signs that nobody sees, and those around an address in a text. */
const unseen = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
const aroundIt = /^[\s<("'“„«]+|[\s>)"'”“».,;]+$/g;

/** Whether blanks are in the path alone, as in the name of a file. */
const hasPath = /^https?:\/\/[^\s/?#]+\/[^:]*$/;

/** The text of an address without what was copied along. A bracket that ends the address itself stays. */
function cleaned(typed: string): string {
    const text = typed.replace(unseen, '');
    const bare = text.replace(aroundIt, '');
    return (bare.includes('(') && text.trim().endsWith(')') ? `${bare})` : bare).replace(scheme, (_all, name: string) => `${name.toLowerCase()}://`);
}

/** The address that is meant: people leave out `https://`. */
export function addressOf(typed: string): Address {
    const text = cleaned(typed);
    const to = mail.exec(text.replace(/^https?:\/\//, ''))?.[1];
    if (to !== undefined) {
        return { href: `mailto:${to}` };
    }

    if (isScheme.test(text) && !/^https?:/i.test(text)) {
        return { problem: 'only_web' };
    }

    const whole = /^https?:/i.test(text) ? text : `https://${text.replace(/^\/+/, '')}`;
    if ((/\s/.test(whole) && !hasPath.test(whole)) || !URL.canParse(whole)) {
        return { problem: 'unfinished' };
    }

    const { href, hostname, username } = new URL(whole);
    // Who writes the scheme may also mean a host of their own network.
    const isHost = (named.test(hostname) && username === '') || (whole === text && /^(?:localhost|[\d.]+|\[.*\])$/.test(hostname));
    return isHost ? { href } : { problem: 'unfinished' };
}
