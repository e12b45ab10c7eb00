import { listAt, lookUp, textAt } from './calls';

import type { ElementSeed, JsonObject, PageSeed, ProjectSeed, RemixSeed } from './pieces';

/** One action of `POST /users/{user}/bulk`. */
export interface Action {
    type: 'projects' | 'pages' | 'elements';
    method: 'create' | 'update' | 'remove';
    data: Record<string, unknown>;
}

/** A created project: its id, and the ids of its pages by the names that links use. */
export interface MadeProject {
    id: string;
    userId: string;
    pages: Map<string, string>;
}

export type MadeProjects = Map<string, MadeProject>;

/** The language of a project's text, and its direction. */
interface Voice {
    language: string;
    rightToLeft?: boolean;
}

/**
 * A whole project as one bulk request: the project, then every page, then every element. Pages come before the first
 * element because a link may name any of them, by a reference (`"$3.id"`) to the action that creates it.
 * @throws Error if a link leads to an unknown page or project
 */
export const projectActions = function (project: ProjectSeed, userId: string, made: MadeProjects): Action[] {
    const { title, description } = project;
    const home: MadeProject = { id: '$0.id', userId, pages: new Map(project.pages.map(({ name }, i) => [name, `$${i + 1}.id`])) };
    return [
        { type: 'projects', method: 'create', data: { title, description } },
        ...pageActions(project.pages, project, home, made)
    ];
};

/** The bulk with the changes of a remix by its new author: title, description, texts and additional pages. */
export const remixActions = function (remix: RemixSeed, copy: MadeProject, pages: unknown, made: MadeProjects): Action[] {
    const elements = listAt(pages, 'pages').flatMap((page) => listAt(page, 'elements'));
    const home = { ...copy, pages: new Map(remix.pages.map(({ name }, i) => [name, `$${i + 1}.id`])) };
    return [
        { type: 'projects', method: 'update', data: { id: copy.id, title: remix.title, description: remix.description } },
        ...pageActions(remix.pages, remix, home, made),
        ...elements.flatMap((element) => translation(element, remix))
    ];
};

const pageActions = function (pages: PageSeed[], voice: Voice, home: MadeProject, made: MadeProjects): Action[] {
    return [
        ...pages.map(({ x, y, styles }): Action => ({ type: 'pages', method: 'create', data: { projectId: home.id, x, y, styles } })),
        ...pages.flatMap(({ name, elements }) => elements.map((element): Action => ({
            type: 'elements',
            method: 'create',
            data: { pageId: home.pages.get(name), type: element.type, attributes: attributesOf(element, voice, home, made), styles: stylesOf(element, voice) }
        })))
    ];
};

const attributesOf = function (element: ElementSeed, voice: Voice, home: MadeProject, made: MadeProjects): JsonObject {
    const attributes: JsonObject = { ...element.attributes, lang: voice.language, ...(voice.rightToLeft ? { dir: 'rtl' } : {}) };
    if (!element.target) {
        return attributes;
    }

    const { project, page } = element.target;
    const goal = project ? made.get(project) : home;
    const targetPageId = page ? goal?.pages.get(page) : null;
    if (!goal || targetPageId === undefined) {
        throw new Error(`A link leads to ${project ?? 'its own project'}/${page ?? ''}, which is not there: ${JSON.stringify(attributes)}`);
    }

    return { ...attributes, targetUserId: goal.userId, targetProjectId: goal.id, targetPageId };
};

const stylesOf = (element: ElementSeed, voice: Voice): JsonObject => (voice.rightToLeft ? { direction: 'rtl', textAlign: 'right', ...element.styles } : element.styles);

/** The update of one copied element, if the remix has another text for it. */
const translation = function (element: unknown, remix: RemixSeed): Action[] {
    const attributes = lookUp(element, ['attributes']);
    if (typeof attributes !== 'object' || attributes === null) {
        return [];
    }

    const spoken = Object.entries(attributes).map(([name, value]) => [name, remix.words[String(value)] ?? value]);
    if (spoken.every(([name, value]) => lookUp(attributes, [name]) === value)) {
        return [];
    }

    const data = { id: textAt(element, 'id'), revision: lookUp(element, ['revision']), attributes: { ...Object.fromEntries(spoken), lang: remix.language } };
    return [{ type: 'elements', method: 'update', data }];
};
