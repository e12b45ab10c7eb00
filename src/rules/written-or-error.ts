import type { Request } from '@hapi/hapi';

import type { Database } from '../database/statements/connection';
import { transaction } from '../database/statements/transaction';
import { notFound } from '../api/errors/errors';
import type { ThingType } from '../api/representations/things';
import { statedRevision } from '../api/request/entity-tags';
import type { Writer } from './access';
import { resultOrError } from './conditional-write';
import type { Outcome } from './conditional-write';
import { lockProject } from './lock-project';
import { checkSizes, mergeFields } from './merge';
import type { AuthoringServices, Writing } from './project-turns';
import { findStates } from './states';
import type { States } from './states';

/** A write to one thing, in a path with these ids. */
interface Write {
    kind: ThingType;
    chain: readonly [user: string, project: string, ...more: string[]];
    writer: Writer;
}

interface Update<Fields extends object> extends Write {
    fields: Fields;
    /** whether the fields are merged with what others wrote since the stated revision */
    merge: boolean | undefined;
    /** writes fields in a transaction that has locked the project */
    write(trx: Database, writer: Writer, fields: Fields): Promise<Outcome | undefined>;
}

/** The contents of a conflict. */
const statesOf = (db: Database, { kind, chain, writer }: Write): Promise<States | undefined> => findStates(db, kind, chain, statedRevision(writer), writer, true);

/** The JSON text of a thing after a write that is not merged. @throws as `resultOrError` does */
export const writtenOrError = (db: Database, outcome: Outcome | undefined, write: Write): Promise<string> => resultOrError(outcome, write.kind, write.writer, () => statesOf(db, write));

/**
 * The response body of a PATCH, after its first attempt. If the thing had changed and the fields should be merged, they are written now, under
 * the project's lock, so that no other write comes between. With `If-Match` nothing is merged, because that header asks for a rejection.
 * @throws as `resultOrError` does, also if both sides changed something to different values; 400 if a merged object is too large
 */
export async function updatedOrError<Fields extends object>(
    request: Writing & Pick<Request, 'app'>, { db, inTurn }: Pick<AuthoringServices, 'db' | 'inTurn'>, outcome: Outcome | undefined, update: Update<Fields>
): Promise<string> {
    const { kind, writer, fields, merge } = update;
    if (merge !== true || outcome?.allowed !== true || outcome.written !== null || writer.tags !== null) {
        return bodyOf(kind, await resultOrError(outcome, kind, writer, () => statesOf(db, update), fields));
    }

    const json = await inTurn(request, () => transaction(db, request.app.traceId, (trx) => mergeAndWrite(trx, outcome, update)));
    return bodyOf(kind, json, ',"merged":true');
}

const bodyOf = (kind: ThingType, json: string, more = ''): string => `{"status":"updated"${more},"${kind}":${json}}`;

async function mergeAndWrite<Fields extends object>(trx: Database, outcome: Outcome, update: Update<Fields>): Promise<string> {
    const { kind, chain, writer, write } = update;
    const states = (): Promise<States | undefined> => statesOf(trx, update);
    await lockProject(trx, chain[1], writer, kind);
    const found = await findStates(trx, kind, chain, writer.revision, writer, false);
    if (found === undefined) {
        throw notFound(kind);
    }

    const { fields, conflicts } = await mergeFields(found.base, update.fields, found.current);
    if (found.base === null || conflicts.length > 0) {
        return resultOrError(outcome, kind, writer, states, update.fields);
    }

    checkSizes(fields);
    return resultOrError(await write(trx, { ...writer, revision: null }, fields), kind, writer, states, fields);
}
