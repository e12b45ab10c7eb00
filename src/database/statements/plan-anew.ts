import type { Database } from './connection';

/**
 * Lets PostgreSQL plan anew what follows on this connection. To be called in a transaction, before a statement that changes all projects of somebody: the queries of its
 * triggers are planned once for each connection, mostly for a single row, and then compare each row with each other one. Ten thousand projects took more than 30 seconds, and one second planned anew.
 */
export const planAnew = async (trx: Database): Promise<void> => void await trx.raw('discard plans');
