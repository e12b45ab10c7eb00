/** How addresses of the site are written on this page: in the language that its own address chooses, if it does. */
export function hrefHere(): (path: string) => string {
    const chosen = new URLSearchParams(location.search).has('lang');
    return (path) => (chosen ? `${path}${path.includes('?') ? '&' : '?'}lang=${document.documentElement.lang}` : path);
}
