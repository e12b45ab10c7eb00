import type { Plugin } from '@hapi/hapi';

import { fault } from '../api/errors/errors';
import { fieldOf } from '../api/json/is-object';
import { isMethod } from '../api/protection/cost';

declare module '@hapi/hapi' {
    interface RouteOptionsApp {
        /** fields of the body that others read, and that nobody can hold for a look as projects and comments: blocked words are refused there */
        texts?: readonly string[];
    }
}

/** Refuses blocked words in the texts that routes name, so it is registered before them. */
export const blockedTexts: Plugin<{ isBlocked(text: string): boolean }> = {
    name: 'blocked-texts',
    register: (server, { isBlocked }) => void server.events.on('route', ({ settings }) => {
        const { handler, app: { texts } = {} } = settings;
        if (texts !== undefined && isMethod(handler)) {
            settings.handler = function (request, h) {
                if (texts.some((name) => isBlocked(String(fieldOf(request.payload, name) ?? '')))) {
                    throw fault('words_blocked');
                }

                return Reflect.apply(handler, this, [request, h]);
            };
        }
    })
};
