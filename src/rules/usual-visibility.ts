import { isBounded } from '../api/request/publish-levels';
import type { CurrentUser } from '../api/request/caller';

/** The visibility of something new if its author says nothing: private if the class that manages the account lets it make nothing visible. Empty if it is the usual one. */
export const defaultVisibility = (caller: CurrentUser | undefined): { visibility?: 'private' } => (isBounded(caller?.publish) ? { visibility: 'private' } : {});
