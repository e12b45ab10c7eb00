import { chosenBodies } from '../people';

/** Most people whom a user follows. */
export const MAX_FOLLOWED = 2000;

export const { body: followBody, list: followedList } = chosenBodies('Following', 'follow', 'following', 'Somebody whom a user follows.');
