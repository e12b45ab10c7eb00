/** Levels to which accounts that a class manages can publish. The constraints classes_publish_known and users_publish_known have the same. */
export const publishLevels = ['nobody', 'class', 'everybody'] as const;

export type PublishLevel = typeof publishLevels[number];

/** Whether an account with this level can make nothing visible outside of its class. Migration 0043 says the same; null is the level of an account that no class manages. */
export const isBounded = (publish: unknown): boolean => publish === 'nobody' || publish === 'class';

/** The visibility of something new if its author says nothing: private if the class that manages the account lets it make nothing visible. Empty if it is the usual one. */
export const defaultVisibility = (publish: PublishLevel | null | undefined): { visibility?: 'private' } => (isBounded(publish) ? { visibility: 'private' } : {});
