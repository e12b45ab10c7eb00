import type { components } from './schema.js';

export type Schemas = components['schemas'];

export type User = Schemas['User'];
export type NewToken = Schemas['NewToken'];
export type Project = Schemas['Project'];
export type ProjectWithStats = Schemas['ProjectWithStats'];
export type Page = Schemas['Page'];
export type Element = Schemas['Element'];
export type NewProject = Schemas['CreateProjectAction']['data'];

/** Where a project is: its id and its author's, as every project carries them. */
export type ProjectPlace = Pick<Project, 'id' | 'user_id'>;
