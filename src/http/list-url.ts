/** The query of a list, after validation. */
export type ListQuery = {
    count?: number;
    page?: number;
    after?: string;
};

/** The URL of one page of a list, its fields in a fixed order. `path` is percent-encoded; the values need no encoding. */
export function listUrl(path: string, { count, page, after }: ListQuery): string {
    const query = `${count === undefined ? '' : `&count=${count}`}${page === undefined ? '' : `&page=${page}`}${after === undefined ? '' : `&after=${after}`}`;
    return query === '' ? path : `${path}?${query.slice(1)}`;
}
