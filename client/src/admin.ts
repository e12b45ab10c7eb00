import type { Api, CallOptions } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions, ListPage } from './lists.js';
import type { AdminLogEntry, Announcement, HostedWebhook, LogEntry, Maintenance, OwnAnnouncement, Person, PersonInDetail, SignUpCode, Statistics, TrustedApp } from './things.js';

type WithId = Pick<Person, 'id'>;

/** A permission that operators or the staff grant. */
export type Permission = keyof Person['permissions'];

/** For the staff of a place, with a token of a sign-in: everybody else gets 403 `forbidden`. Each act is noted in the log. */
export interface Admin {
    /** Texts that all pages show, newest first. Everybody can read them. */
    announcements(options?: CallOptions): Promise<Announcement[]>;
    /** Announcements and their authors. */
    ownAnnouncements(options?: CallOptions): Promise<OwnAnnouncement[]>;
    /** Shows a text on all pages until a time. @throws PagewrightError 409 `announcement_limit` */
    announce(announcement: Pick<Announcement, 'text' | 'until'> & Partial<Pick<Announcement, 'level'>>, options?: CallOptions): Promise<OwnAnnouncement>;
    withdraw(announcement: WithId, options?: CallOptions): Promise<void>;

    /** people by their usernames, deleted accounts too */
    people(which?: { prefix?: string; permission?: Permission }, options?: ListOptions): List<Person>;
    /** an account, with what it has in numbers */
    person(user: WithId, options?: CallOptions): Promise<PersonInDetail>;
    /** Gives somebody a random password, which is shown only this once, and ends all their sign-ins. @throws PagewrightError 409 `no_password` */
    resetPassword(user: WithId, options?: CallOptions): Promise<string>;
    /** Refuses everything that a user would write. @param until the end; if left out, it stays until `unsuspend` @throws PagewrightError 409 `own_account` */
    suspend(user: WithId, reason: string, until?: Date, options?: CallOptions): Promise<Person>;
    unsuspend(user: WithId, options?: CallOptions): Promise<Person>;
    /** Moves an account to the trash. @throws PagewrightError 409 `own_account` */
    remove(user: WithId, options?: CallOptions): Promise<Person>;
    /** Brings a removed account back, with its projects. */
    restore(user: WithId, options?: CallOptions): Promise<Person>;
    grant(user: WithId, permission: Permission, options?: CallOptions): Promise<Person>;
    /** @throws PagewrightError 409 `own_account` if somebody takes `staff` from themselves */
    revoke(user: WithId, permission: Permission, options?: CallOptions): Promise<Person>;

    /** what staff and operators did, newest first */
    log(options?: ListOptions): List<AdminLogEntry>;
    /** what moderators did, newest first */
    moderationLog(options?: ListOptions): List<LogEntry>;

    /** the place in numbers, at most about a minute old */
    statistics(options?: CallOptions): Promise<Statistics>;
    maintenance(options?: CallOptions): Promise<Maintenance>;
    /** Has the maintenance done now. */
    startMaintenance(options?: CallOptions): Promise<Maintenance>;

    /** all apps, newest first */
    apps(options?: ListOptions): List<TrustedApp>;
    /** Whether people who have let an app in before are asked again. */
    trustApp(app: WithId, trusted: boolean, options?: CallOptions): Promise<TrustedApp>;
    /** Ends an app for everybody. */
    deleteApp(app: WithId, options?: CallOptions): Promise<void>;
    /** all webhooks, newest first */
    webhooks(options?: ListOptions): List<HostedWebhook>;
    switchWebhookOff(webhook: WithId, options?: CallOptions): Promise<HostedWebhook>;

    /** codes that still open accounts, newest first, without the codes themselves */
    signUpCodes(options?: ListOptions): List<SignUpCode>;
    /** Makes a code that opens accounts. It is shown only this once. @throws PagewrightError 409 `sign_up_code_limit` */
    createSignUpCode(code?: { uses?: number; expires_in?: number; note?: string | null }, options?: CallOptions): Promise<{ signUpCode: SignUpCode; code: string }>;
    deleteSignUpCode(code: WithId, options?: CallOptions): Promise<void>;
    /** Whether everybody can open an account, whoever has a code, or nobody. */
    signUp(options?: CallOptions): Promise<'open' | 'invite' | 'closed'>;
}

export function adminOf(api: Api): Admin {
    const ofUser = ({ id: user }: WithId): { path: { user: string } } => ({ path: { user } });

    return {
        announcements: async (options) => (await api.GET('/announcements', { ...options })).data.announcements,

        ownAnnouncements: async (options) => (await api.GET('/admin/announcements', { ...options })).data.announcements,

        announce: async (body, options) => (await api.POST('/admin/announcements', { body, ...options })).data.announcement,

        withdraw: async ({ id: announcement }, options) => {
            await api.DELETE('/admin/announcements/{announcement}', { params: { path: { announcement } }, ...options });
        },

        people: (which, options) => each(options, async (query, call): Promise<ListPage<Person>> => {
            const { users, next } = (await api.GET('/admin/users', { params: { query: { ...which, ...query } }, ...call })).data;
            return { items: users, next };
        }),

        person: async (user, options) => (await api.GET('/admin/users/{user}', { params: ofUser(user), ...options })).data.user,

        resetPassword: async (user, options) => (await api.POST('/admin/users/{user}/password', { params: ofUser(user), ...options })).data.password,

        suspend: async (user, reason, until, options) => {
            const body = { reason, ...until !== undefined && { until: until.toISOString() } };
            return (await api.PUT('/admin/users/{user}/suspension', { params: ofUser(user), body, ...options })).data.user;
        },

        unsuspend: async (user, options) => (await api.DELETE('/admin/users/{user}/suspension', { params: ofUser(user), ...options })).data.user,

        remove: async (user, options) => (await api.DELETE('/admin/users/{user}', { params: ofUser(user), ...options })).data.user,

        restore: async (user, options) => (await api.POST('/admin/users/{user}/restore', { params: ofUser(user), ...options })).data.user,

        grant: async ({ id: user }, permission, options) => (await api.PUT('/admin/users/{user}/permissions/{permission}', { params: { path: { user, permission } }, ...options })).data.user,

        revoke: async ({ id: user }, permission, options) => (await api.DELETE('/admin/users/{user}/permissions/{permission}', { params: { path: { user, permission } }, ...options })).data.user,

        log: (options) => each(options, async (query, call) => {
            const { entries, next } = (await api.GET('/admin/log', { params: { query }, ...call })).data;
            return { items: entries, next };
        }),

        moderationLog: (options) => each(options, async (query, call) => {
            const { entries, next } = (await api.GET('/admin/moderation-log', { params: { query }, ...call })).data;
            return { items: entries, next };
        }),

        statistics: async (options) => (await api.GET('/admin/statistics', { ...options })).data.statistics,

        maintenance: async (options) => (await api.GET('/admin/maintenance', { ...options })).data.maintenance,

        startMaintenance: async (options) => (await api.POST('/admin/maintenance', { ...options })).data.maintenance,

        apps: (options) => each(options, async (query, call) => {
            const { apps, next } = (await api.GET('/admin/apps', { params: { query }, ...call })).data;
            return { items: apps, next };
        }),

        trustApp: async ({ id: app }, trusted, options) => (await api.PATCH('/admin/apps/{app}', { params: { path: { app } }, body: { trusted }, ...options })).data.app,

        deleteApp: async ({ id: app }, options) => {
            await api.DELETE('/admin/apps/{app}', { params: { path: { app } }, ...options });
        },

        webhooks: (options) => each(options, async (query, call) => {
            const { webhooks, next } = (await api.GET('/admin/webhooks', { params: { query }, ...call })).data;
            return { items: webhooks, next };
        }),

        switchWebhookOff: async ({ id: webhook }, options) => (await api.PATCH('/admin/webhooks/{webhook}', { params: { path: { webhook } }, body: { enabled: false }, ...options })).data.webhook,

        signUpCodes: (options) => each(options, async (query, call) => {
            const { sign_up_codes: items, next } = (await api.GET('/admin/sign-up-codes', { params: { query }, ...call })).data;
            return { items, next };
        }),

        createSignUpCode: async (body = {}, options) => {
            const { sign_up_code: signUpCode, code } = (await api.POST('/admin/sign-up-codes', { body, ...options })).data;
            return { signUpCode, code };
        },

        deleteSignUpCode: async ({ id }, options) => {
            await api.DELETE('/admin/sign-up-codes/{sign_up_code}', { params: { path: { sign_up_code: id } }, ...options });
        },

        signUp: async (options) => (await api.GET('/admin/sign-up-codes', { params: { query: { count: 1 } }, ...options })).data.sign_up
    };
}
