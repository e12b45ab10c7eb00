import { DatabaseError } from 'pg';
import type { Client, QueryConfig } from 'pg';

import type { DeclaredQuery } from '../declaration';
import { errorCode } from '../error-code';
import { NotOnCluster } from './cluster';
import { withLookups } from './pages';
import { Shards } from './shards';
import type { Row } from './values';

/** @throws Error if the client is connected to a worker: sequences and advisory locks are those of the coordinator */
export async function refuseWorkers(client: Pick<Client, 'query'>): Promise<void> {
    const { rows: [node] } = await client.query<{ worker: boolean }>('select groupid <> 0 as worker from pg_dist_local_group');
    if (node?.worker) {
        throw new Error('this server is a worker of a cluster. DATABASE_URL has to lead to its coordinator.');
    }
}

/** Statements that the coordinator runs itself: ids are drawn as the shards draw them, and a table has its size on all nodes. */
const onCoordinator = (text: string): string => text
    .replaceAll(`nextval('pages_id_seq')`, 'next_thing_id()')
    .replaceAll(`nextval('elements_id_seq')`, 'next_thing_id()')
    .replaceAll('pg_total_relation_size', 'citus_total_relation_size');

const isDeclared = (config: string | QueryConfig): config is DeclaredQuery => typeof config !== 'string' && 'declared' in config;

/** Makes the declared statements of a client run where their project is. Everything else is sent to the coordinator as it is. */
export function runInShards(client: Client): void {
    const query = client.query.bind(client);
    const shards = new Shards({ query, getTransactionStatus: () => client.getTransactionStatus() });

    const sent = async (config: DeclaredQuery): Promise<Row[]> => {
        const { text, values = [], declared } = config;
        const asked = { text, values, declared };
        const { place } = declared;
        switch (place.kind) {
            case 'here': case 'citus': return (await query<Row>({ ...config, text: onCoordinator(text) })).rows;
            case 'lookup': return (await query<Row>({ ...config, text: withLookups(text) })).rows;
            case 'project': return await shards.inOne(asked, place.parameter === null ? '0' : values[place.parameter - 1] ?? '0', place.writes);
            case 'new': return await shards.inNew(asked, place.beside === null ? undefined : values[place.beside - 1]);
            case 'each': return await shards.inEach(asked, place.parameter, place.rows, place.writes);
            case 'records': return await shards.inRecords(asked, place.fields);
            case 'everywhere': return await shards.inAll(asked, place.writes, place.merge);
            case 'nowhere': throw new NotOnCluster();
        }
    };

    // One after the other: what is sent later may need what was sent before, and a transaction must not end before all of it was sent.
    let last: Promise<unknown> = Promise.resolve();
    let waiting = 0;
    const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
        ++waiting;
        const made = last.then(work);
        last = made.then(() => undefined, () => undefined).finally(() => --waiting);
        return made;
    };

    Object.assign(client, {
        query: (config: string | QueryConfig, ...rest: never[]) => {
            if (isDeclared(config)) {
                return inTurn(() => sent(config)).then((rows) => ({ rows }), (error: unknown) => {
                    const known = named(error);
                    // After some errors Citus runs on the coordinator, for as long as the connection lasts, what a node has to run. The pool drops it.
                    if (errorCode(known) === '08000') {
                        Object.assign(client, { __knex__disposed: known });
                    }

                    throw known;
                });
            }

            // Knex, which also sends what ends a transaction, passes a function.
            const [callback]: unknown[] = rest;
            const own = typeof callback === 'function' ? [(error: unknown, result: unknown) => Reflect.apply(callback, undefined, [named(error), result])] : rest;
            const send = (): unknown => Reflect.apply(query, undefined, [config, ...own]);
            return waiting === 0 ? send() : inTurn(() => Promise.resolve(send()));
        }
    });
}

/** How messages begin if a node is away: those of Citus, and those of libpq, which it passes on without a code. */
const away = [
    'failure on connection', 'could not commit transaction', 'postmaster was shut down',
    'server closed the connection', 'connection not open', 'no connection to the server', 'could not receive data from server', 'could not send data to server', 'SSL connection has been closed', 'SSL SYSCALL error'
];

/** SQLSTATE of Citus if a shard has moved while rows for all shards were on their way to it. */
const MOVED = 'CIINF';

/** An error of a shard with the name of the constraint, which is only in its hint or its message, with the number of the shard; of a node that is away as of a lost connection; and of a shard that has moved as of a conflict, so that it is tried again. */
function named(error: unknown): unknown {
    if (error instanceof DatabaseError && away.some((beginning) => error.message.startsWith(beginning))) {
        Object.assign(error, { code: '08006' });
    }

    if (error instanceof DatabaseError && error.code === MOVED) {
        Object.assign(error, { code: '40001' });
    }

    if (error instanceof DatabaseError && error.constraint === undefined) {
        const name = /^constraint (\w+)$/.exec(error.hint ?? '')?.[1] ?? /constraint "(\w+?)(?:_[0-9]{6,})?"/.exec(error.message)?.[1];
        Object.assign(error, name === undefined ? {} : { constraint: name });
    }

    return error;
}
