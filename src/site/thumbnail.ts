import { POSTER, typeOfSize } from '../files/assets/storage';

/** The widest thumbnail that a list needs, in pixels. */
const WIDE_ENOUGH = 320;

/** The path of an asset, at the end of an address. Lists here have room for a whole page. */
const asset = /(\/assets\/([0-9a-f]{64})(?:\?width=\d{1,4})?)(?:&height=198)?$/;

/** A picture of this service. */
export interface Thumbnail {
    path: string;
    /** SHA-256 of its bytes */
    hash: string;
}

/**
 * The thumbnail of a project, if its address is that of an asset. Which host it names does not matter: a place has many names, and its pages
 * load nothing from other hosts. An asset of another place may not exist here.
 */
export function thumbnailOf({ thumbnail }: { thumbnail: Readonly<Record<string, string>> }): Thumbnail | undefined {
    const widths = Object.keys(thumbnail).map(Number).sort((a, b) => a - b);
    const [, path, hash] = asset.exec(String(thumbnail[String(widths.find((width) => width >= WIDE_ENOUGH) ?? widths.at(-1))])) ?? [];
    return path === undefined || hash === undefined ? undefined : { path, hash };
}

/** The picture of a project for links in messages, as programs show them that know no WebP and no small pictures. */
export function posterOf(project: Parameters<typeof thumbnailOf>[0]): { path: string; type: string; width: number; height: number } | undefined {
    const thumbnail = thumbnailOf(project);
    const { width, height, size } = POSTER;
    return thumbnail && { path: `/assets/${thumbnail.hash}?width=${width}&height=${height}`, type: typeOfSize(size), width, height };
}
