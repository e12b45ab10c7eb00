/** What a page may load and do: only what is here, no inline script, and frames only where `frames` says so. */
export const policy = (frames: string): string => [
    `default-src 'none'`, `script-src 'self'`, `style-src 'self'`, `style-src-attr 'unsafe-inline'`, `img-src 'self' data: blob:`, `media-src 'self' data: blob:`,
    `connect-src 'self'`, `font-src 'self'`, `manifest-src 'self'`, `form-action 'self'`, `base-uri 'none'`, `frame-ancestors ${frames}`
].join('; ');

/** The headers of every page. The host of the service is told to other hosts, and nothing more. */
export const pageHeaders = (frames = `'none'`): Readonly<Record<string, string>> => ({
    'content-security-policy': policy(frames),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()'
});
