/** Where one came from to the editor: kept for the tab, since one also comes from playing the project. */
const key = (project: string): string => `pagewright came from ${project}`;

/** The address that the editor of a project leads back to: if one came from nowhere on this site, that of one's classes or projects. */
export function wayBack(project: string): string {
    return cameFrom(project) ?? (document.documentElement.classList.contains('in-class') ? '/classes' : '/account');
}

function cameFrom(project: string): string | null {
    const from = URL.canParse(document.referrer) ? new URL(document.referrer) : null;
    const isElsewhere = from !== null && from.origin === location.origin && !/^\/(?:edit|sign-in|sign-up)\b/.test(from.pathname);
    const isPlayer = isElsewhere && new RegExp(`^/p/${project}(?:/|$)`).test(from.pathname);
    try {
        const kept = sessionStorage.getItem(key(project));
        if (!isElsewhere || (isPlayer && kept !== null)) {
            return kept;
        }

        sessionStorage.setItem(key(project), from.href);
    }
    catch {
        // Without storage, it is known until the next page.
    }

    return isElsewhere ? from.href : null;
}
