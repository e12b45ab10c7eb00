/** The query of a list, after validation. Some lists have further parameters. */
export type ListQuery = {
    count?: number;
    page?: number;
    after?: string;
};

/** The parameters of lists, in the order in which their URLs have them. */
const names = ['count', 'page', 'after', 'q', 'language', 'tag', 'author', 'visibility', 'pupil', 'prefix', 'permission', 'kind', 'thread', 'element'];

/** The URL of one page of a list, its fields in a fixed order. `path` is percent-encoded. */
export function listUrl(path: string, query: Readonly<Record<string, unknown>>): string {
    let url = path;
    for (const name of names) {
        const value = query[name];
        if (value !== undefined) {
            url += `${url === path ? '?' : '&'}${name}=${encodeURIComponent(String(value))}`;
        }
    }

    return url;
}
