/** Kinds of notices. The constraints notice_events_kind_known and notices_kind_known have the same ones. */
export const noticeKinds = [
    'comment', 'reply', 'mention', 'remix', 'feature', 'member', 'follow', 'assignment', 'handed_in', 'returned', 'decision', 'appeal'
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** The things that a reader needs to see for a notice: a comment or a remix, beside its project; an assignment; or the project alone. */
type Needs = 'comment' | 'remix' | 'project' | 'assignment' | 'nothing';

const needed: Readonly<Record<NoticeKind, Needs>> = {
    comment: 'comment', reply: 'comment', mention: 'comment', remix: 'remix', feature: 'project', member: 'project', follow: 'nothing',
    assignment: 'assignment', handed_in: 'assignment', returned: 'assignment',
    // They tell of what is removed, too.
    decision: 'nothing', appeal: 'nothing'
};

export const needsOf = (kind: NoticeKind): Needs => needed[kind];

/** Whether what notices of a kind tell of needs the right to read their project. */
export const needsProject = (kind: NoticeKind): boolean => ['comment', 'remix', 'project'].includes(needed[kind]);

/** Whether notices of a kind are joined only if they tell of the same thing: an assignment, a statement. */
export const isOfOneThing = (kind: NoticeKind): boolean => needed[kind] === 'assignment' || kind === 'decision' || kind === 'appeal';
