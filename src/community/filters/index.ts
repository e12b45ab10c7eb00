export { keepChecking } from './jobs';
export { readBlockedWords } from './read-words';
export { BlockedWords, noWords } from './words';
