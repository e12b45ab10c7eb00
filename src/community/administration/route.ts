import type { ReqRef, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import { needs } from '../../api/auth/strategy';
import type { ListQuery } from '../../api/request/list-url';
import { placeOf, replyBounded } from '../../api/request/pagination';
import type { BoundedPage } from '../../database/bounded-page';
import type { Sender } from '../../rules/write';
import { staffOf } from './staff';

/** Options of each route of the staff: only with a token of a sign-in. */
export const ofStaff = { auth: needs('user'), app: { cost: 'cheap', signedIn: true } } as const;

/** Responds with a page of a list, newest first. @param beside JSON text of other fields, with a comma after each @throws 403 if the caller is not of the staff */
export async function answerList<Refs extends ReqRef>(
    request: Pick<Request, 'path'> & Sender & { query: ListQuery }, h: ResponseToolkit<Refs>, name: string, list: (before: string, count: number) => Promise<BoundedPage>, beside = ''
): Promise<ResponseObject> {
    staffOf(request);
    const { beforeId, count } = placeOf(request.query);
    return replyBounded(h, request, name, await list(beforeId, count), beside);
}
