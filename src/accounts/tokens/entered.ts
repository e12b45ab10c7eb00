import type { ReqRef, ResponseObject, ResponseToolkit } from '@hapi/hapi';

import type { Devices } from '../../api/auth/devices';
import { reply } from '../../api/request/responses';
import type { Config } from '../../config';
import { withSecret } from './json';

/** Somebody who has signed in: the JSON texts of the token and of the user, and the secret. */
interface Entered {
    token: string;
    user: string;
    secret: string;
}

/** The response to a sign-in, with the cookie by which limits of guessing know the browser again. */
export function entered<Refs extends ReqRef>(
    h: ResponseToolkit<Refs>, { token, user, secret }: Entered, known: Devices, config: Pick<Config, 'publicUrl'>
): Promise<ResponseObject> {
    const response = reply(h, `{"status":"created","token":${withSecret(token, secret)},"user":${user}}`).code(201);
    return known.remember(response, JSON.parse(user), config);
}
