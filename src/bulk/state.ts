import type { Project } from '../representations/project';
import type { Page } from '../representations/page';
import type { Element } from '../representations/element';

/** What has become of a row since it was loaded or made. */
interface Progress {
    /** made by this bulk */
    made: boolean;
    /** has to be written */
    changed: boolean;
    removed: boolean;
}

export interface ProjectState extends Progress {
    thing: Project;
    pageCount: number;
    /** the live page at each place, by `x,y`; loaded where pages are made or moved */
    places: Map<string, string> | undefined;
}

export interface PageState extends Progress {
    thing: Omit<Page, 'elements'>;
    project: ProjectState;
    elementCount: number;
    /** live elements by id, in order of creation; loaded where the page is shown */
    elements: Map<string, ElementState> | undefined;
    /** `styles` is new */
    restyled: boolean;
}

export interface ElementState extends Progress {
    thing: Element;
    page: PageState;
    /** `attributes` is new */
    attributed: boolean;
    /** `styles` is new */
    restyled: boolean;
}

/** Everything the actions have touched, as it stands after the ones that have run. */
export interface State {
    /** the transaction's time, as it is shown */
    now: string;
    projects: Map<string, ProjectState>;
    pages: Map<string, PageState>;
    elements: Map<string, ElementState>;
}

export const placeKey = (x: number, y: number): string => `${x},${y}`;

/** Counts a change of a thing, and shows it on whatever it is in. */
export function touch(state: State, ...rows: (ProjectState | PageState | ElementState)[]): void {
    for (const row of rows) {
        row.changed = true;
        row.thing.revision++;
        row.thing.history.updated_at = state.now;
    }
}

/** A page as it is shown, its elements with it. */
export function showPage({ thing, elements = new Map<string, ElementState>() }: PageState): Page {
    return { ...thing, elements: [...elements.values()].map((element) => element.thing) };
}
