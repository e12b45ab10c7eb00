/**
 * Where one goes after signing in: what `?back=` says, if it is a page of this site and not one of those to sign in. It is a whole address, since
 * a path such as `//evil.example/` would lead to another site.
 */
export function placeToReturn(search = location.search): string | null {
    const given = new URLSearchParams(search).get('back');
    if (given === null || !given.startsWith('/') || !URL.canParse(given, location.origin)) {
        return null;
    }

    const { origin, pathname, href } = new URL(given, location.origin);
    const isUseless = pathname === '/' || pathname.startsWith('//') || pathname === '/sign-in' || pathname === '/sign-up';
    return origin !== location.origin || isUseless ? null : href;
}
