/** The query of a list, after validation. Some lists have further parameters. */
export type ListQuery = {
    count?: number;
    page?: number;
    after?: string;
};

/** The parameters of lists, in the order in which their URLs have them. */
const names = ['count', 'page', 'after', 'q', 'language', 'tag', 'author', 'visibility'];

/** The URL of one page of a list, its fields in a fixed order. `path` is percent-encoded. */
export function listUrl(path: string, query: object): string {
    const values = new Map<string, unknown>(Object.entries(query));
    const fields = names.filter((name) => values.get(name) !== undefined).map((name) => `${name}=${encodeURIComponent(String(values.get(name)))}`);
    return fields.length === 0 ? path : `${path}?${fields.join('&')}`;
}
