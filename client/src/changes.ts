import type { Element, NewProject, Page, Project, Schemas } from './things.js';


/**
 * What an edit was made against: the thing as it was read or last saved, not as it has been edited since. With the fields
 * in it that the edit changes, `save` can tell whether somebody else has changed just those.
 */
export type Base<Thing extends { id: string; revision: number }> = Pick<Thing, 'id' | 'revision'> & Partial<Thing>;

type Edited<Action extends { data: { id: unknown; revision?: unknown } }> = Omit<Action['data'], 'id' | 'revision'>;

/** `id` of something new: any text that is not a number, and that other changes of the same save may name it by. */
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

/** A page's `projectId`, an element's `pageId` and a link's targets may be ids of things made in the same save. */
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
