import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Knex } from 'knex';

import { notFound } from '../api/errors/errors';
import type { ThingType } from '../api/representations/things';
import { signalOf } from '../api/request/client-gone';
import { statedRevision } from '../api/request/entity-tags';
import { idempotent as answerOnce } from '../api/request/idempotency';
import type { ReadAgain } from '../api/request/idempotency';
import { created, reply, thing } from '../api/request/responses';
import type { Status } from '../api/request/responses';
import type { Services } from '../api/services';
import type { Database } from '../database/statements/connection';
import { transaction } from '../database/statements/transaction';
import type { Writer } from './access';
import type { Chain } from './chain';
import { createdOrError, resultOrError } from './conditional-write';
import type { Made, Outcome } from './conditional-write';
import { lockProject } from './lock-project';
import { checkSizes, mergeFields } from './merge';
import { projectTurns } from './project-turns';
import type { Writing } from './project-turns';
import { findStates } from './states';
import type { States } from './states';

/*
 * The way of a write, in this order. A route takes the stages that it needs:
 *
 *   turn          writes of one project wait for each other before they take a connection, other cheap ones of an address in a queue          project-turns, api/protection/cost
 *   repetition    with an `Idempotency-Key`, the first response is kept, and sent again             api/request/idempotency
 *   transaction   of several statements; unless it is cheap, it ends when its client leaves          database/statements/transaction
 *   lock          what others write, too: no right comes out of the statement that waits for it     locked, lock-project
 *   rights        what the caller may do as it is after the lock, and what can have ended meanwhile: the token, the account, a moderator's rights        access, request.checkStillAllowed
 *   statement     the route's own: it finds the path's things, checks the right and the precondition, and writes; of one thing, it also locks and looks at the rights (`stillAllowed` in access)
 *   outcome       404, 403, 409 or 412, or the JSON text of what was written; a PATCH may be merged   conditional-write, merge
 *   response      that text, with its status and address                                            api/request/responses
 *
 * `change` and `create` have all of them, for one thing; `together`, `serialized`, `idempotent`, `idempotentTransaction` and `idempotentInTurn` run statements whose outcome is the route's own.
 * `requestWrite` leaves the rights to its statements, and `operatorWrite` has nobody whose rights to look at. Lint sees to it that nothing else begins
 * a transaction (eslint.config.js).
 */

/** A write to one thing. */
interface Write<Ids extends Chain = Chain> {
    kind: ThingType;
    chain: Ids;
    writer: Writer;
}

/** A change of one thing by a statement. */
interface Change<Fields extends object, Ids extends Chain> extends Write<Ids> {
    fields: Fields;
    /** writes the fields; it is run again, in a transaction that has locked the project, with those that are merged */
    statement(db: Database, chain: Ids, writer: Writer, fields: Fields): Promise<Outcome | undefined>;
    /** whether the fields are merged with what others wrote since the stated revision */
    merge?: boolean;
    /** whether the statement needs the project's lock, as its answer holds what is in the thing */
    isLocking?: boolean;
    /** runs the statement together with others of other projects, and not in turn */
    batch?(): Promise<Outcome | undefined>;
}

/** Something new in something else. */
interface Creation {
    kind: ThingType;
    /** what it is created in, in words */
    within: string;
    statement(db: Database): Promise<Made | undefined>;
    /** reads it again, for a response that was not kept */
    find(db: Database, id: string): Promise<{ json: string | null } | undefined>;
}

/** Runs statements in a transaction. */
type Work<Result> = (trx: Knex.Transaction) => Promise<Result>;

/** The parts of a request whose statements are one transaction; and of one that may wait before. */
type Begun = Pick<Request, 'active' | 'app' | 'auth' | 'checkStillAllowed' | 'raw'> & Pick<Writing, 'route'>;
export type Sender = Begun & Pick<Request, 'inQueue'>;

const isCheap = ({ route }: Begun): boolean => route.settings.app?.cost === 'cheap';

/** Has a cheap write wait in the queue of those. What is not cheap waits in its own. */
const queued = <Result>(request: Sender, write: () => Promise<Result>): Promise<Result> => (isCheap(request) ? request.inQueue(write) : write());

const begin = <Result>(db: Database, request: Begun, work: Work<Result>): Promise<Result> =>
    transaction(db, request.app.traceId, work, isCheap(request) ? undefined : signalOf(request));

/** Runs statements as one transaction of a request. They look at the caller's rights themselves, after the locks; `together` does it at their end, when some have ended their own. */
export const requestWrite = <Result>(db: Database, request: Sender, work: Work<Result>): Promise<Result> => queued(request, () => begin(db, request, work));

/** Runs statements as one transaction of an operator's command, or of the program as it starts: there is no caller with rights, no turn and no repetition. */
export const operatorWrite = <Result>(db: Database, work: Work<Result>): Promise<Result> => transaction(db, undefined, work);

type Sent = Writing & Pick<Request, 'inQueue' | 'maySeeAll' | 'path'>;

/** All ways to write. The turns are those of the process, so it is made once. */
export function writes(db: Knex) {
    const turn = projectTurns();

    /** Runs statements as one transaction, and looks at the caller's rights at its end, when it has all its locks. @throws as `checkStillAllowed` does */
    function checked<Result>(request: Begun, work: Work<Result>, given: Database = db): Promise<Result> {
        return begin(given, request, async (trx) => {
            const result = await work(trx);
            await request.checkStillAllowed(trx);
            return result;
        });
    }

    /** Runs statements as `checked` does. */
    const together = <Result>(request: Sender, work: Work<Result>): Promise<Result> => queued(request, () => checked(request, work));

    /** Runs statements as one transaction, in the turn of a project: that in the path if nothing else is given. */
    function serialized<Result>(request: Writing, work: Work<Result>, ...project: [id?: string, mayKnow?: boolean]): Promise<Result> {
        return turn(request, () => checked(request, work), ...project);
    }

    /** Runs a statement once for each `Idempotency-Key`, in no turn. @throws as `idempotent` does */
    function idempotent<Refs extends ReqRef>(request: Sent, h: ResponseToolkit<Refs>, work: (given: Database) => Promise<ResponseObject>, readAgain?: ReadAgain): Promise<ResponseObject> {
        return answerOnce(request, h, db, work, readAgain);
    }

    /** Runs one transaction once per `Idempotency-Key`. */
    function idempotentTransaction<Refs extends ReqRef>(request: Sent, h: ResponseToolkit<Refs>, work: Work<ResponseObject>, readAgain?: ReadAgain): Promise<ResponseObject> {
        return queued(request, () => idempotent(request, h, (given) => checked(request, work, given), readAgain));
    }

    /** Runs one transaction once per `Idempotency-Key`, in the turn of the project in the path. */
    function idempotentInTurn<Refs extends ReqRef>(request: Sent, h: ResponseToolkit<Refs>, work: Work<ResponseObject>): Promise<ResponseObject> {
        return turn(request, () => idempotent(request, h, (given) => checked(request, work, given)));
    }

    /** Creates something in a project. @throws 404 if what it is created in does not exist, 403 if the caller may not do this; and as `idempotent` does */
    function create<Refs extends ReqRef>(request: Sent, h: ResponseToolkit<Refs>, { kind, within, statement, find }: Creation): Promise<ResponseObject> {
        return turn(request, () => idempotent(request, h, async (trx) => {
            const made = await statement(trx);
            if (made?.json === null) {
                await request.checkStillAllowed(trx);
            }

            const { id, json } = createdOrError(made, within);
            return created(h, 'created', kind, json, `${request.path}/${id}`);
        }, async (trx, id) => {
            const found = await find(trx, id);
            return found && `{"status":"created","${kind}":${found.json}}`;
        }));
    }

    /**
     * Changes or deletes one thing. If it has changed and the fields are to be merged, they are written under the project's lock, so that no other
     * write comes between. With `If-Match` nothing is merged, because that header asks for a rejection.
     * @throws as `resultOrError` does, also if both sides changed something to different values; 400 if a merged object is too large
     */
    async function change<Refs extends ReqRef, Fields extends object, Ids extends Chain>(
        request: Writing, h: ResponseToolkit<Refs>, status: Status, { isLocking = false, batch, ...wanted }: Change<Fields, Ids>
    ): Promise<ResponseObject> {
        const { kind, chain, writer, fields, merge = false, statement } = wanted;
        const first = (): Promise<Outcome | undefined> => (isLocking ? checked(request, (trx) => lockAndWrite(trx, wanted)) : statement(db, chain, writer, fields));
        // A batch is itself a turn. Who may not see the project does not wait for it.
        const outcome = batch === undefined ? await turn(request, first) : await request.maySee(chain[1]) ? await batch() : await first();
        if (outcome?.allowed === false) {
            await request.checkStillAllowed(db);
        }

        if (!merge || outcome?.allowed !== true || outcome.written !== null || writer.tags !== null) {
            return thing(h, status, kind, await resultOrError(outcome, kind, writer, () => statesOf(db, wanted), fields));
        }

        const json = await serialized(request, (trx) => mergeAndWrite(trx, outcome, wanted));
        return reply(h, `{"status":"${status}","merged":true,"${kind}":${json}}`);
    }

    return { together, serialized, idempotent, idempotentTransaction, idempotentInTurn, create, change };
}

/** The options of the plugins of authoring resources. */
export interface AuthoringServices extends Services {
    write: ReturnType<typeof writes>;
    /** whether a short text has a word that the operators block */
    isBlocked(text: string): boolean;
}

/** The contents of a conflict. */
const statesOf = (db: Database, { kind, chain, writer }: Write): Promise<States | undefined> => findStates(db, kind, chain, statedRevision(writer), writer, true);

/** The JSON text of a thing after a write in a transaction of the route's own. @throws as `resultOrError` does */
export const writtenOrError = (db: Database, outcome: Outcome | undefined, write: Write): Promise<string> => resultOrError(outcome, write.kind, write.writer, () => statesOf(db, write));

async function lockAndWrite<Fields extends object, Ids extends Chain>(trx: Database, { kind, chain, writer, fields, statement }: Change<Fields, Ids>): Promise<Outcome | undefined> {
    await lockProject(trx, chain[1], writer, kind);
    return statement(trx, chain, writer, fields);
}

async function mergeAndWrite<Fields extends object, Ids extends Chain>(trx: Database, outcome: Outcome, change: Change<Fields, Ids>): Promise<string> {
    const { kind, chain, writer, statement } = change;
    const states = (): Promise<States | undefined> => statesOf(trx, change);
    await lockProject(trx, chain[1], writer, kind);
    const found = await findStates(trx, kind, chain, writer.revision, writer, false);
    if (found === undefined) {
        throw notFound(kind);
    }

    const { fields, conflicts } = await mergeFields(found.base, change.fields, found.current);
    if (found.base === null || conflicts.length > 0) {
        return resultOrError(outcome, kind, writer, states, change.fields);
    }

    checkSizes(fields);
    return resultOrError(await statement(trx, chain, { ...writer, revision: null }, fields), kind, writer, states, fields);
}
