import type { Api, CallOptions } from './api.js';
import { each } from './lists.js';
import type { List, ListOptions } from './lists.js';
import type { Notice } from './things.js';

/** How many notices are unread, and the id of the newest; null if there is none. */
export interface NoticesState {
    unread: number;
    newest: string | null;
}

/** Notices of what happened that concerns you. */
export interface Notices {
    /** newest first */
    list(options?: ListOptions): List<Notice>;
    /** how many are unread */
    unread(options?: CallOptions): Promise<number>;
    /** Says that a notice, and all before, were read. @returns how many are unread */
    read(until: Pick<Notice, 'id'>, options?: CallOptions): Promise<number>;
    /** Tells how many are unread: at once, and then whenever that may have changed, until the signal is aborted. */
    watch(options?: CallOptions): AsyncGenerator<NoticesState, void, undefined>;
    /** whether a letter comes each day. @throws PagewrightError 404 `mail_off` */
    letter(options?: CallOptions): Promise<boolean>;
    /** Switches the daily letter on or off. @throws PagewrightError 404 `mail_off` */
    setLetter(daily: boolean, options?: CallOptions): Promise<boolean>;
}

export function noticesOf(api: Api, watch: (options: CallOptions) => ReturnType<Notices['watch']>): Notices {
    const path = { user: 'me' } as const;
    return {
        list: (options) => each(options, async (query, call) => {
            const { notices, next } = (await api.GET('/users/{user}/notices', { params: { path, query }, ...call })).data;
            return { items: notices, next };
        }),

        unread: async (options) =>
            (await api.GET('/users/{user}/notices', { params: { path, query: { count: 1 } }, ...options })).data.unread,

        read: async ({ id: until }, options) => {
            return (await api.PUT('/users/{user}/notices/read', { params: { path }, body: { until }, ...options })).data.unread;
        },

        watch: (options = {}) => watch(options),

        letter: async (options) => (await api.GET('/users/{user}/notices/letter', { params: { path }, ...options })).data.letter.daily,

        setLetter: async (daily, options) => {
            return (await api.PUT('/users/{user}/notices/letter', { params: { path }, body: { daily }, ...options })).data.letter.daily;
        }
    };
}
