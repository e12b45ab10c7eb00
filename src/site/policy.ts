/** The Content-Security-Policy of a page: it loads only files of this service and runs no inline script. `frames` says which sites may show it in a frame. */
const policy = (frames: string): string => [
    `default-src 'none'`, `script-src 'self'`, `style-src 'self'`, `style-src-attr 'unsafe-inline'`, `img-src 'self' data: blob:`, `media-src 'self' data: blob:`,
    `connect-src 'self'`, `font-src 'self'`, `manifest-src 'self'`, `worker-src 'self'`, `form-action 'self'`, `base-uri 'none'`, `frame-ancestors ${frames}`
].join('; ');

/** The headers of every page. As the referrer, other hosts get the origin of the service, without a path. @param records whether sounds are recorded there */
export const pageHeaders = (frames = `'none'`, records = false): Readonly<Record<string, string>> => ({
    'content-security-policy': policy(frames),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': `camera=(), microphone=(${records ? 'self' : ''}), geolocation=()`
});

/** The Content-Security-Policy of the service worker: it loads only what is of this service. */
export const workerPolicy = `default-src 'none'; connect-src 'self'`;

/** The Content-Security-Policy of a file for programs, such as a feed: if a browser shows it, it runs and loads nothing. */
export const filePolicy = `default-src 'none'; sandbox; frame-ancestors 'none'`;
