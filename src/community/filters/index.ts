export { keepChecking } from './jobs';
export { MAX_BLOCKED_PICTURES, blockPicture, blocksByLooks, refuseBlockedPictures, unblockPicture } from './pictures';
export { storeLookDays } from './queries';
export { readBlockedWords } from './read-words';
export type { BlockedWords } from './words';
