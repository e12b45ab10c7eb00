import type { Owned } from '../../rules/access';
import type { ProjectRow } from '../../rules/columns';
import { fault } from '../../api/errors/errors';
import type { CurrentUser } from '../../api/request/caller';
import type { JsonText } from '../../api/json/json-text';
import { MOST_PAGE_BYTES, MOST_PROJECT_BYTES } from '../../limits';
import type { Element, ElementFields } from '../../api/representations/element';
import type { Page, PageFields } from '../../api/representations/page';
import type { Project } from '../../api/representations/project';
import type { User } from '../../api/representations/user';
import type { Earlier } from './references';
import type { Result } from './results';
import type { Kind } from './schema';

/** The change of a row since it was loaded or created. */
interface Progress {
    /** created by this bulk */
    made: boolean;
    /** has to be written */
    changed: boolean;
    removed: boolean;
}

/**
 * A thing as it will be shown. Its contents, which may be large, are undefined if they were not loaded: a bulk may touch
 * far more than fits into memory.
 */
type Loaded<Thing, Content extends keyof Thing> = Omit<Thing, Content> & { [Name in Content]: JsonText | undefined };

export interface ProjectState extends Progress, Owned {
    thing: Loaded<Project, 'thumbnail'>;
    pageCount: number;
    /** of what its pages hold, as `projects.project_bytes` counts them */
    bytes: number;
    /** the live page at each place, by `x,y`; loaded if pages are made or moved */
    places: Map<string, string> | undefined;
    /** the columns that have to be written */
    written: Partial<ProjectRow>;
    /** the numbers of the change for the history, in the order of `counts` (rules/write-sql.ts) */
    counts: number[];
}

export interface PageState extends Progress {
    thing: Loaded<Omit<Page, 'elements'>, 'styles'>;
    project: ProjectState;
    elementCount: number;
    /** of its styles and its elements, as `pages.page_bytes` counts them */
    bytes: number;
    stylesBytes: number;
    /** elements that are not deleted by id, in order of creation; undefined if they were not needed, or are too many */
    elements: Map<string, ElementState> | undefined;
    elementsAskedFor: boolean;
    written: Partial<PageFields>;
}

export interface ElementState extends Progress {
    thing: Loaded<Element, 'attributes' | 'styles'>;
    page: PageState;
    attributesBytes: number;
    stylesBytes: number;
    written: Partial<ElementFields>;
}

/** Everything the actions have touched, as it stands after those that have run. */
export interface State {
    /** the transaction's time, as it is shown */
    now: string;
    projects: Map<string, ProjectState>;
    pages: Map<string, PageState>;
    elements: Map<string, ElementState>;
}

/** The context of the actions. */
export interface Run extends Earlier {
    state: State;
    caller: CurrentUser;
    author: User;
    /** the value of `API_VERSION` */
    version: string;
    /** ids that are reserved for new things, the next one last */
    ids: Record<Kind, string[]>;
    results: Result[];
}

export const noCounts = (): number[] => [0, 0, 0, 0, 0, 0, 0];

export const newState = (now: string): State => ({ now, projects: new Map(), pages: new Map(), elements: new Map() });

/** Adds to the bytes of a page and of its project. @throws 409 if the page or the project grows beyond its limit */
export function grow(page: PageState, by: number): void {
    page.bytes += by;
    page.project.bytes += by;
    if (by > 0 && page.bytes > MOST_PAGE_BYTES) {
        throw fault('page_size_limit');
    }

    if (by > 0 && page.project.bytes > MOST_PROJECT_BYTES) {
        throw fault('project_size_limit');
    }
}

export const placeKey = (x: number, y: number): string => `${x},${y}`;

/** Counts a change of a thing. */
export function markChanged(state: State, ...rows: (ProjectState | PageState | ElementState)[]): void {
    for (const row of rows) {
        row.changed = true;
        row.thing.revision++;
        row.thing.history.updated_at = state.now;
    }
}

export type PageWithElements = PageState['thing'] & { elements: ElementState['thing'][] | undefined };

/** A page as it is shown, with its elements. */
export function showPage({ thing, elements }: PageState): PageWithElements {
    return { ...thing, elements: elements && [...elements.values()].map((element) => element.thing) };
}

/** A thing as it is shown; undefined if the state does not have it. */
export function shownThing(state: State, kind: Kind, id: string): object | undefined {
    const page = kind === 'pages' ? state.pages.get(id) : undefined;
    return page === undefined ? state[kind].get(id)?.thing : showPage(page);
}
