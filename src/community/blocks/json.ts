import { chosenBodies } from '../people';

/** Most people whom a user blocks. */
export const MAX_BLOCKS = 1000;

export const { body: blockBody, list: blockList } = chosenBodies('Block', 'block', 'blocks', 'Somebody whom a user has blocked.');
