import type { Api, CallOptions } from './api.js';
import { each, pathOf } from './lists.js';
import type { List, ListOptions, ListPage } from './lists.js';
import type { Appeal, JudgedComment, LogEntry, ModerationMonth, Project, ProjectPlace, Report, ReportedComment, ReportedProject,
    ReportedThing, ReportedUser, Statement, Suspension, TrashEntry, User } from './things.js';

export interface DecisionOptions extends CallOptions {
    /** the rule that was broken; if left out, the reason of most reports */
    rule?: Report['reason'];
}

/** For moderators: everybody else gets 403 `forbidden`. */
export interface Moderation {
    /** reported projects that nobody has decided about, the most reported first */
    reports(options?: ListOptions): List<ReportedProject>;

    /** reported projects, comments and people, or one kind of them, as `reports` has projects */
    queue(options?: ListOptions & { kind?: ReportedThing['kind'] }): List<ReportedThing>;

    /**
     * Closes the reports of a project.
     * @param note why; if the project is held, its author reads it
     * @throws PagewrightError 404 if there are none, as another moderator may have been faster
     */
    decide(project: Pick<Project, 'id'>, state: 'kept' | 'held' | 'removed', note: string, options?: CallOptions): Promise<ReportedProject>;

    /** Closes the reports of a comment, or releases one that is held: `kept`. @throws PagewrightError 404 if there is nothing to decide */
    decideComment(comment: Pick<JudgedComment, 'id'>, state: 'kept' | 'held' | 'removed', note: string,
        options?: DecisionOptions): Promise<ReportedComment>;

    /** Closes the reports of a person. @throws PagewrightError 404 if there are none */
    decideUser(user: Pick<User, 'id'>, state: 'kept' | 'suspended', note: string,
        options?: DecisionOptions & { until?: Date }): Promise<ReportedUser>;

    /** Features a project, or takes that back. */
    feature(project: ProjectPlace, featured: boolean, options?: CallOptions): Promise<Project>;

    /** Removes a project: it goes to its author's trash, from where only a moderator restores it. */
    remove(project: ProjectPlace, options?: CallOptions): Promise<void>;

    /** what was removed of a user, newest first */
    trash(user: Pick<User, 'id'>, options?: ListOptions): List<TrashEntry>;

    /** Restores something of a user's trash. @throws PagewrightError 409 `parent_deleted`, `coordinates_taken` */
    restore(user: Pick<User, 'id'>, entry: Pick<TrashEntry, 'id'>, options?: CallOptions): Promise<void>;

    /** From now on its author and moderators alone can read the project. @param reason its author reads it */
    hold(project: Pick<Project, 'id'>, reason: string, options?: CallOptions): Promise<Project>;

    /** Ends a hold. @throws PagewrightError 404 if there is none */
    release(project: Pick<Project, 'id'>, options?: CallOptions): Promise<Project>;

    /** Refuses everything that a user would write. @param until the end; if left out, it stays until `unsuspend` */
    suspend(user: Pick<User, 'id'>, reason: string, until?: Date, options?: CallOptions): Promise<Suspension>;

    /** Ends a suspension. @throws PagewrightError 404 if there is none */
    unsuspend(user: Pick<User, 'id'>, options?: CallOptions): Promise<void>;

    /** appeals that nobody has decided on, the oldest first */
    appeals(options?: ListOptions): List<Appeal>;

    /**
     * Decides on an appeal: `reversed` undoes what was decided.
     * @param reason the person concerned reads it
     * @throws PagewrightError 403 `own_decision` if it is about the caller, or their own decision and there is another moderator; 409 `appeal_decided`
     */
    decideAppeal(statement: Pick<Statement, 'id'>, outcome: 'upheld' | 'reversed', reason: string,
        options?: CallOptions): Promise<Statement>;

    /** moderation in numbers, by month, the newest first */
    summary(options?: CallOptions): Promise<ModerationMonth[]>;

    /** Blocks a picture: nobody sees it any more, or sends it or one that looks the same. @param sha256 of its file @param reason for other moderators */
    blockPicture(sha256: string, reason: string, options?: CallOptions): Promise<void>;

    /** Lets a picture be sent again. @param reason for the log @throws PagewrightError 404 if it is not blocked */
    unblockPicture(sha256: string, reason?: string, options?: CallOptions): Promise<void>;

    /** what moderators did, newest first */
    log(options?: ListOptions): List<LogEntry>;
}

/** A page of the queue of reports. */
async function queueOf(api: Api, query: { count: number; after?: string; kind?: ReportedThing['kind'] },
    call: CallOptions): Promise<ListPage<ReportedThing>> {
    const { reports, next } = (await api.GET('/moderation/reports', { params: { query }, ...call })).data;
    return { items: reports, next };
}

export function moderationOf(api: Api): Moderation {
    return {
        reports: (options) => each(options, async (query, call) => {
            const { items, next } = await queueOf(api, { ...query, kind: 'project' }, call);
            return { items: items.filter((entry) => entry.kind === 'project'), next };
        }),

        queue: ({ kind, ...options } = {}) =>
            each(options, (query, call) => queueOf(api, { ...query, ...kind !== undefined && { kind } }, call)),

        decide: async ({ id: project }, state, note, options) => {
            return (await api.PATCH('/moderation/reports/{project}', { params: { path: { project } }, body: { state, note }, ...options })).data.report;
        },

        decideComment: async ({ id: comment }, state, note, { rule, ...options } = {}) => {
            const body = { state, note, ...rule !== undefined && { rule } };
            return (await api.PATCH('/moderation/reports/comments/{comment}',
                { params: { path: { comment } }, body, ...options })).data.report;
        },

        decideUser: async ({ id: user }, state, note, { rule, until, ...options } = {}) => {
            const body = { state, note, ...rule !== undefined && { rule }, ...until !== undefined && { until: until.toISOString() } };
            return (await api.PATCH('/moderation/reports/users/{user}', { params: { path: { user } }, body, ...options })).data.report;
        },

        feature: async (project, featured, options) => {
            return (await api.PATCH('/users/{user}/projects/{project}/feature', { params: { path: pathOf(project) }, body: { featured }, ...options })).data.project;
        },

        remove: async (project, options) => {
            await api.DELETE('/users/{user}/projects/{project}', { params: { path: pathOf(project) }, ...options });
        },

        trash: ({ id: user }, options) => each(options, async (query, call) => {
            const { trash, next } = (await api.GET('/users/{user}/trash', { params: { path: { user }, query }, ...call })).data;
            return { items: trash, next };
        }),

        restore: async ({ id: user }, { id: entry }, options) => {
            await api.POST('/users/{user}/trash/{entry}/restore', { params: { path: { user, entry } }, body: {}, ...options });
        },

        hold: async ({ id: project }, reason, options) => {
            return (await api.PUT('/moderation/projects/{project}/hold', { params: { path: { project } }, body: { reason }, ...options })).data.project;
        },

        release: async ({ id: project }, options) => (await api.DELETE('/moderation/projects/{project}/hold', { params: { path: { project } }, ...options })).data.project,

        suspend: async ({ id: user }, reason, until, options) => {
            const body = { reason, ...until !== undefined && { until: until.toISOString() } };
            return (await api.PUT('/moderation/users/{user}/suspension', { params: { path: { user } }, body, ...options })).data.suspension;
        },

        unsuspend: async ({ id: user }, options) => {
            await api.DELETE('/moderation/users/{user}/suspension', { params: { path: { user } }, ...options });
        },

        appeals: (options) => each(options, async (query, call) => {
            const { appeals, next } = (await api.GET('/moderation/appeals', { params: { query }, ...call })).data;
            return { items: appeals, next };
        }),

        decideAppeal: async ({ id: statement }, outcome, reason, options) => {
            return (await api.PATCH('/moderation/appeals/{statement}',
                { params: { path: { statement } }, body: { outcome, reason }, ...options })).data.statement;
        },

        summary: async (options) => (await api.GET('/moderation/summary', { ...options })).data.months,

        blockPicture: async (sha256, reason, options) => {
            await api.PUT('/moderation/assets/{sha256}', { params: { path: { sha256 } }, body: { reason }, ...options });
        },

        unblockPicture: async (sha256, reason, options) => {
            await api.DELETE('/moderation/assets/{sha256}', { params: { path: { sha256 } }, body: { reason }, ...options });
        },

        log: (options) => each(options, async (query, call) => {
            const { entries, next } = (await api.GET('/moderation/log', { params: { query }, ...call })).data;
            return { items: entries, next };
        })
    };
}
