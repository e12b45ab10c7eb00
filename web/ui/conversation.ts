import { each } from '../../client/src/lists.js';
import type { Client, List } from '../../client/src/index.js';

interface Named {
    id: string;
    username: string;
}

/** Something that somebody is told. */
export interface Notice {
    id: string;
    kind: string;
    at: string;
    /** who did it; null for nobody who is named */
    by: Named | null;
    project: { id: string; user_id: string; title: string } | null;
    comment?: string | undefined;
    statement?: string | undefined;
    assignment?: { id: string; class_id: string; title: string } | undefined;
    /** how many of the kind there were within an hour */
    count: number;
    read: boolean;
}

/** A decision of moderators, as whom it concerns reads it. */
export interface Statement {
    id: string;
    decision: 'hold' | 'remove' | 'suspend';
    type: string;
    thing_id: string;
    project_id: string | null;
    /** of the picture that it is about */
    sha256: string | null;
    title: string | null;
    rule: string;
    reason: string;
    facts: string;
    at: string;
    until: string | null;
    /** when it was taken back */
    ended_at: string | null;
    appeal: Appeal | null;
}

export interface Appeal {
    text: string;
    at: string;
    outcome: 'upheld' | 'reversed' | null;
    reason: string | null;
    decided_at: string | null;
}

/** An appeal that a moderator is to decide. */
export interface OpenAppeal {
    statement: Statement;
    user: Named;
    /** who decided; null for an operator or the service */
    moderator: Named | null;
}

/** A report that somebody has sent, and what came of it. */
export interface OwnReport {
    kind: string;
    thing_id: string;
    project_id: string | null;
    reason: string;
    text: string;
    created_at: string;
    outcome: string | null;
}

export interface Block {
    user: Named;
    since: string;
}

const own = { user: 'me' } as const;

/** One's notices, newest first. @param onUnread is called with how many are unread, for each page of the list */
export const listNotices = ({ api }: Client, onUnread: (unread: number) => void): List<Notice> =>
    each({ count: 25 }, async (query, call) => {
        const { notices, next, unread } = (await api.GET('/users/{user}/notices', { params: { path: own, query }, ...call })).data;
        onUnread(unread);
        return { items: notices, next };
    });

/** Marks the notices up to one as read. @returns how many are unread then */
export const readNotices = async ({ api }: Client, until: string): Promise<number> => {
    return (await api.PUT('/users/{user}/notices/read', { params: { path: own }, body: { until } })).data.unread;
};

/** Whether one gets a letter with new notices each day. */
export const getsLetter = async ({ api }: Client): Promise<boolean> =>
    (await api.GET('/users/{user}/notices/letter', { params: { path: own } })).data.letter.daily;

export const setLetter = async ({ api }: Client, daily: boolean): Promise<void> => {
    await api.PUT('/users/{user}/notices/letter', { params: { path: own }, body: { daily } });
};

export const listStatements = ({ api }: Client): List<Statement> => each({ count: 25 }, async (query, call) => {
    const { statements, next } = (await api.GET('/users/{user}/statements', { params: { path: own, query }, ...call })).data;
    return { items: statements, next };
});

export const appeal = async ({ api }: Client, { id: statement }: Statement, text: string): Promise<Statement> => {
    return (await api.POST('/users/{user}/statements/{statement}/appeal',
        { params: { path: { ...own, statement } }, body: { text } })).data.statement;
};

export const listOwnReports = ({ api }: Client): List<OwnReport> => each({ count: 25 }, async (query, call) => {
    const { reports, next } = (await api.GET('/users/{user}/reports', { params: { path: own, query }, ...call })).data;
    return { items: reports, next };
});

export const listBlocks = ({ api }: Client): List<Block> => each({ count: 25 }, async (query, call) => {
    const { blocks, next } = (await api.GET('/users/{user}/blocks', { params: { path: own, query }, ...call })).data;
    return { items: blocks, next };
});

export const block = async ({ api }: Client, username: string): Promise<void> => {
    await api.PUT('/users/{user}/blocks/{username}', { params: { path: { ...own, username } } });
};

export const unblock = async ({ api }: Client, username: string): Promise<void> => {
    await api.DELETE('/users/{user}/blocks/{username}', { params: { path: { ...own, username } } });
};

export const listAppeals = ({ api }: Client): List<OpenAppeal> => each({ count: 25 }, async (query, call) => {
    const { appeals, next } = (await api.GET('/moderation/appeals', { params: { query }, ...call })).data;
    return { items: appeals, next };
});

export const decideAppeal = async ({ api }: Client, { id: statement }: Statement, outcome: 'upheld' | 'reversed',
    reason: string): Promise<void> => {
    await api.PATCH('/moderation/appeals/{statement}', { params: { path: { statement } }, body: { outcome, reason } });
};

export const blockPicture = async ({ api }: Client, sha256: string, reason: string): Promise<void> => {
    await api.PUT('/moderation/assets/{sha256}', { params: { path: { sha256 } }, body: { reason } });
};

export const unblockPicture = async ({ api }: Client, sha256: string, reason: string): Promise<void> => {
    await api.DELETE('/moderation/assets/{sha256}', { params: { path: { sha256 } }, body: { reason } });
};
