/** Whether it is the host of one's own device, as addresses spell it (RFC 8252 section 7.3). */
export const isLoopback = (hostname: string): boolean => ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);

/** A private scheme: a domain name in reverse, so that it has a dot (RFC 8252 section 7.1). */
const privateScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Whether an app can send people to this address: `https` as it is; `http` to a loopback address, with any port; or a private scheme with a dot.
 * There are no patterns, and nothing that a browser would read in another way than it is written.
 */
export function isRedirectUri(value: string): boolean {
    if (!/^[\x21-\x7e]+$/.test(value) || /[#\\<>"{}|^`]/.test(value) || !URL.canParse(value)) {
        return false;
    }

    const { protocol, hostname, host, username, password } = new URL(value);
    if (username + password !== '') {
        return false;
    }

    switch (protocol) {
        case 'https:':
            return value.startsWith(`https://${host}`) && !hostname.includes('*');
        case 'http:':
            return isLoopback(hostname) && value.startsWith(`http://${hostname}`);
        default:
            return privateScheme.test(protocol) && value.startsWith(protocol) && value.startsWith('/', protocol.length);
    }
}
