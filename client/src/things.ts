import type { components } from './schema.js';

export type Schemas = components['schemas'];

export type User = Schemas['User'];
export type NewToken = Schemas['NewToken'];
export type Project = Schemas['Project'];
export type ProjectWithStats = Schemas['ProjectWithStats'];
export type Page = Schemas['Page'];
export type Element = Schemas['Element'];
/** What one request did to a project. */
export type HistoryEntry = Schemas['Change'];
/** One thing that was removed, with everything that went with it. */
export type TrashEntry = Schemas['TrashEntry'];
/** Somebody whom the author of a project lets in. */
export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];
/** An invitation with its code. */
export type NewInvitation = Schemas['NewInvitation'];
export type NewProject = Schemas['CreateProjectAction']['data'];

/** The ids of a project and its author, which every project has. */
export type ProjectPlace = Pick<Project, 'id' | 'user_id'>;
