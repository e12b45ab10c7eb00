/** Where one goes after signing in: what `?back=` says, if it is a page of this site and not one of those to sign in. */
export function placeToReturn(search = location.search): string | null {
    const given = new URLSearchParams(search).get('back');
    if (given === null || !/^\/(?![/\\])/.test(given) || !URL.canParse(given, location.origin)) {
        return null;
    }

    const { origin, pathname, search: query, hash } = new URL(given, location.origin);
    const isUseless = pathname === '/' || pathname === '/sign-in' || pathname === '/sign-up';
    return origin !== location.origin || isUseless ? null : `${pathname}${query}${hash}`;
}
