export { keepNotifying } from './jobs';
export { keepSendingLetters } from './letters';
export { NOTICE_DAYS } from './limits';
export { readNotices } from './reading';
export { notices } from './routes';
