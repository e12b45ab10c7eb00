import type { Element, NewProject, Page, Project, Schemas } from './things.js';


/**
 * The thing as it was read or last saved, before the edit. If it has the fields that the edit changes, `save` can tell
 * whether somebody else has changed the same fields.
 */
export type Base<Thing extends { id: string; revision: number }> = Pick<Thing, 'id' | 'revision'> & Partial<Thing>;

type Edited<Action extends { data: { id: unknown; revision?: unknown } }> = Omit<Action['data'], 'id' | 'revision'>;

/** `id` is a temporary id of the new thing: any text that is not a number. Other changes of the same save can use it. */
interface Creation<Type, Data> {
    type: Type;
    method: 'create';
    id: string;
    data: Data;
}

interface Update<Type, Thing extends { id: string; revision: number }, Data> {
    type: Type;
    method: 'update';
    base: Base<Thing>;
    data: Data;
}

interface Removal<Type, Thing extends { id: string; revision: number }> {
    type: Type;
    method: 'remove';
    base: Base<Thing>;
}

/** A page's `projectId`, an element's `pageId` and a link's targets may be temporary ids from the same save. */
export type Change =
    | Creation<'projects', NewProject>
    | Creation<'pages', Schemas['CreatePageAction']['data']>
    | Creation<'elements', Schemas['CreateElementAction']['data']>
    | Update<'projects', Project, Edited<Schemas['UpdateProjectAction']>>
    | Update<'pages', Page, Edited<Schemas['UpdatePageAction']>>
    | Update<'elements', Element, Edited<Schemas['UpdateElementAction']>>
    | Removal<'projects', Project>
    | Removal<'pages', Page>
    | Removal<'elements', Element>;

/** An action of a bulk. */
export type Action = Schemas[
    | 'CreateProjectAction' | 'UpdateProjectAction' | 'RemoveProjectAction'
    | 'CreatePageAction' | 'UpdatePageAction' | 'RemovePageAction'
    | 'CreateElementAction' | 'UpdateElementAction' | 'RemoveElementAction'];
