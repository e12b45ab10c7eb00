import type { Project } from '../representations/project';

/** What components need of a project; the client's projects have it too. */
export type ShownProject = Pick<Project, 'id' | 'user_id' | 'title' | 'description' | 'tags' | 'remixed_from' | 'thumbnail' | 'visibility'> & {
    author: { username: string };
    history: { created_at: string };
    stats: { views: number; remixes: number };
};

/** A page and what is on it. */
export interface ShownPage {
    id: string;
    styles: unknown;
    elements: { id: string; type: string; attributes: unknown; styles: unknown }[];
    /** it has more than can be shown */
    isTooLarge?: boolean;
}

/** Where a page is on the grid. */
export interface PlacedPage {
    id: string;
    x: number;
    y: number;
}

/** What a project was remixed from. Without a title, nobody but its author may know more. */
export interface Source {
    id?: string;
    title?: string;
    author?: { username: string } | null;
    available: boolean;
}

/** A list of projects for a page, with the pages that picture those without a thumbnail. */
export interface ShownList {
    projects: ShownProject[];
    /** paths of thumbnails, by the ids of projects */
    thumbnails: ReadonlyMap<string, string>;
    pictures: ReadonlyMap<string, ShownPage>;
    /** the cursor of the next page of the list; null at its end */
    next: string | null;
}

/** The places around a page. */
export interface Ways {
    left?: PlacedPage;
    right?: PlacedPage;
    up?: PlacedPage;
    down?: PlacedPage;
    /** its number among all, from 1 */
    number: number;
}

/**
 * Where one can go from a page: to the pages beside it on the grid. To the left and to the right, one also comes to the
 * page before and after it in reading order, so that all pages are reached.
 * @param places in reading order, with that page
 */
export function waysFrom(places: readonly PlacedPage[], id: string): Ways {
    const at = places.findIndex((place) => place.id === id);
    const here: Partial<PlacedPage> = { ...places[at] };
    const beside = (x: number, y: number): PlacedPage | undefined => places.find((place) => place.x === Number(here.x) + x && place.y === Number(here.y) + y);
    return { left: beside(-1, 0) ?? places[at - 1], right: beside(1, 0) ?? places[at + 1], up: beside(0, -1), down: beside(0, 1), number: at + 1 };
}
