/** The script of the page at `/docs`. It runs in the browser; `npm run build` makes it a plain script. */

import { keepComplete } from './attributes.js';
import { filter, foldLongParts, inLists } from './operations.js';
import { comeBack, signIn, signingIn, signsIn, tell } from './sign-in.js';
import type { SwaggerResponse, SwaggerUi } from './swagger-ui.js';

/** The global that `swagger-ui-bundle.js` sets. */
declare const SwaggerUIBundle: (options: object) => SwaggerUi;

/**
 * Puts a random username into the examples, so that opening an account and signing in work with the prefilled values, also
 * for the next user who tries them.
 */
const ownExamples = (response: SwaggerResponse): SwaggerResponse => {
    const text = response.text?.replaceAll('"new-author"', `"new-author-${Math.random().toString(36).slice(2, 8)}"`);
    return { ...response, text };
};

keepComplete();

const ui = SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#viewer',
    deepLinking: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    // The badge would send a request to a server of Swagger's.
    validatorUrl: null,
    // Computers are shared, so the token must not outlive the page.
    persistAuthorization: false,
    responseInterceptor: (response: SwaggerResponse) => (response.url.endsWith('/openapi.json') ? ownExamples(response) : signIn(ui, response)),
    filter: true,
    syntaxHighlight: { theme: 'obsidian' },
    plugins: [foldLongParts, filter, inLists, ...signsIn ? [signingIn] : []],
    onComplete: () => void comeBack(ui).catch(tell)
});
