import type { Api, CallOptions } from './api.js';
import { each, pathOf } from './lists.js';
import type { ListOptions } from './lists.js';
import type { ProjectList } from './projects.js';
import type { Invitation, ListedInvitation, Member, NewInvitation, Present, Project, ProjectPlace } from './things.js';

/** Who else may see a project, and write in it. */
export interface Members {
    /** all of them, in the order in which they joined */
    list(project: ProjectPlace, options?: CallOptions): Promise<Member[]>;

    /** Lets somebody in, or changes their role. @throws PagewrightError 404 if there is no such user, 409 `member_limit` */
    put(project: ProjectPlace, username: string, role: Member['role'], options?: CallOptions): Promise<Member>;

    /** Removes a member, at once. Members can remove themselves. If the author does it, the invitations that they joined by are withdrawn. */
    remove(project: ProjectPlace, username: string, options?: CallOptions): Promise<void>;

    /**
     * Makes a code that others can join by. It is shown this once.
     * @param invitation.uses how many may join by it, 1 to 100; one if left out
     * @param invitation.expiresIn for how many seconds; a week if left out, 30 days at most
     */
    invite(project: ProjectPlace, invitation: { role: Member['role']; uses?: number; expiresIn?: number }, options?: CallOptions): Promise<NewInvitation>;

    /** the invitations that still work, each with who came by it; for the author */
    invitations(project: ProjectPlace, options?: CallOptions): Promise<ListedInvitation[]>;

    /** Takes an invitation back. Those who have joined by it stay. */
    withdraw(project: ProjectPlace, invitation: Pick<Invitation, 'id'>, options?: CallOptions): Promise<void>;

    /** Joins a project. @throws PagewrightError 404 if the code is wrong, used up or expired */
    join(code: string, options?: CallOptions): Promise<{ project: Project; role: Member['role'] }>;

    /**
     * Says that you have a project open, and where in it you are; nobody but its editors is told. Call it every second or so while others are there, and
     * every four seconds while nobody is: after eight seconds without a call you are not there any more.
     * @param where the page, the elements that are chosen (20 at most), and the pointer in units of the page
     * @returns the others who are there
     * @throws PagewrightError 403 if you may not edit it
     */
    present(project: ProjectPlace, where?: Partial<Pick<Present, 'page' | 'selected' | 'cursor'>>, options?: CallOptions): Promise<Present[]>;

    /** what others share with you, latest change first */
    shared(options?: ListOptions): ProjectList;
}

export function membersOf(api: Api): Members {
    return {
        list: async (project, options) => (await api.GET('/users/{user}/projects/{project}/members', { params: { path: pathOf(project) }, ...options })).data.members,

        put: async (project, username, role, options) => {
            return (await api.PUT('/users/{user}/projects/{project}/members/{username}', { params: { path: { ...pathOf(project), username } }, body: { role }, ...options })).data.member;
        },

        remove: async (project, username, options) => {
            await api.DELETE('/users/{user}/projects/{project}/members/{username}', { params: { path: { ...pathOf(project), username } }, ...options });
        },

        invite: async (project, { role, uses = 1, expiresIn = 7 * 24 * 3600 }, options) => {
            return (await api.POST('/users/{user}/projects/{project}/invitations', { params: { path: pathOf(project) }, body: { role, uses, expires_in: expiresIn }, ...options })).data.invitation;
        },

        invitations: async (project, options) => (await api.GET('/users/{user}/projects/{project}/invitations', { params: { path: pathOf(project) }, ...options })).data.invitations,

        withdraw: async (project, { id }, options) => {
            await api.DELETE('/users/{user}/projects/{project}/invitations/{invitation}', { params: { path: { ...pathOf(project), invitation: id } }, ...options });
        },

        join: async (code, options) => {
            const { project, role } = (await api.POST('/invitations', { body: { code }, ...options })).data;
            return { project, role };
        },

        present: async (project, where = {}, options = {}) => (await api.PUT('/users/{user}/projects/{project}/presence', { params: { path: pathOf(project) }, body: where, ...options })).data.present,

        shared: (options) => each(options, async (query, call) => {
            const { projects, next } = (await api.GET('/users/{user}/shared', { params: { path: { user: 'me' }, query }, ...call })).data;
            return { items: projects, next };
        })
    };
}
