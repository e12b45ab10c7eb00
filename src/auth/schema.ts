import { text } from '../http/schema';

export const password = text(8, 256).description('Kept as an Argon2id hash alone.').example('correct horse battery');
