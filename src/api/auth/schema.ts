import { text } from '../request/schema';

export const password = text(8, 256).description('Only its Argon2id hash is stored.').example('correct horse battery');
