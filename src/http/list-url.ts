/** The query of a list, after validation. Some lists have further parameters. */
export type ListQuery = {
    count?: number;
    page?: number;
    after?: string;
};

/** The URL of one page of a list, its fields in a fixed order. `path` is percent-encoded. */
export function listUrl(path: string, { count, page, after, ...others }: ListQuery): string {
    const fields = Object.entries({ count, page, after, ...others }).filter(([, value]) => value !== undefined);
    return fields.length === 0 ? path : `${path}?${fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
