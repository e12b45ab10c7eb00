import type { Project } from '../api/representations/project';
import type { Translate } from './text-options';

/** Letters that show nothing, by themselves. */
const invisible = /^[\s\p{C}\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** The title of a project, or words for one of which nothing is to be seen. */
export const titleIn = (t: Translate, title: string): string => (invisible.test(title) ? t('page.untitled') : title);

/** The fields of a project that components show; the client's projects have them too. */
export type ShownProject = Pick<Project, 'id' | 'user_id' | 'title' | 'description' | 'tags' | 'remixed_from' | 'thumbnail' | 'visibility' | 'held' | 'revision'> & {
    author: { username: string; locale: { language: string }; /** to people of the same class */ nameInClass?: string | undefined };
    history: { created_at: string; updated_at: string };
    stats: { views: number; remixes: number };
};

/** A page and what is on it. */
export interface ShownPage {
    id: string;
    styles: unknown;
    elements: { id: string; type: string; attributes: unknown; styles: unknown }[];
    /** why its elements are not here: a script asks the API for them, or they are too many for a browser */
    missing?: 'for a script' | 'too large';
}

/** Where a page is on the grid. */
export interface PageOnGrid {
    id: string;
    x: number;
    y: number;
}

/** The source of a remix. Without a title, only the author of the source may see more of it. */
export interface RemixSource {
    id?: string;
    title?: string;
    author?: { username: string } | null;
    available: boolean;
}

/** A list of projects for a page. */
export interface ShownList {
    projects: ShownProject[];
    /** paths of thumbnails, by the ids of projects */
    thumbnails: ReadonlyMap<string, string>;
    /** the cursor of the next page of the list; null at its end */
    next: string | null;
}

/** The pages around a page. */
export interface Neighbours {
    left?: PageOnGrid;
    right?: PageOnGrid;
    up?: PageOnGrid;
    down?: PageOnGrid;
    /** its number in reading order, from 1 */
    number: number;
}

/**
 * The pages that can be reached from a page: its neighbours on the grid. If it has none to the left or to the right, that is
 * the page before or after it in reading order, so that every page can be reached.
 * @param places all pages in reading order
 */
export function neighboursOf(places: readonly PageOnGrid[], id: string): Neighbours {
    const at = places.findIndex((place) => place.id === id);
    const here: Partial<PageOnGrid> = { ...places[at] };
    const beside = (x: number, y: number): PageOnGrid | undefined =>
        places.find((place) => place.x === Number(here.x) + x && place.y === Number(here.y) + y);
    return { left: beside(-1, 0) ?? places[at - 1], right: beside(1, 0) ?? places[at + 1], up: beside(0, -1), down: beside(0, 1), number: at + 1 };
}

/** An announcement, as pages show it. */
export interface ShownAnnouncement {
    id: string;
    text: string;
    level: 'info' | 'warning';
    /** a time in ISO 8601 */
    until: string;
}
