/** Who may comment on a project, as its owner says. The constraint comment_settings_who_known has the same. */
export const commentAudiences = ['everybody', 'members', 'nobody'] as const;

export type CommentAudience = typeof commentAudiences[number];

/** The default, for a project of which its owner has said nothing. */
export const DEFAULT_AUDIENCE: CommentAudience = 'everybody';

/** The setting where comments are closed. */
export const CLOSED: CommentAudience = 'nobody';

/** Who removes comments. The constraint comments_removed_by_known has the same. */
export const commentRemovers = ['author', 'owner', 'moderator'] as const;

export type CommentRemover = typeof commentRemovers[number];
