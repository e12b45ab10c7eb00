/* Runs in the browser, at /docs. */
/* global document, SwaggerUIBundle */
'use strict';

(() => {

    /** Whoever opens an account or signs in is signed in here, without a token to copy. */
    const signIn = (response) => {

        const { token, user } = response.body ?? {};
        if (response.status === 201 && token?.access_token !== undefined) {
            ui.preauthorizeApiKey('bearer', token.access_token);
            document.querySelector('#account').textContent = `Signed in as ${user.username}. Your user id is ${user.id}.`;
        }

        return response;
    };

    const ui = SwaggerUIBundle({
        url: '/openapi.json',
        dom_id: '#viewer',
        deepLinking: true,
        tryItOutEnabled: true,
        defaultModelsExpandDepth: 0,
        // The badge would ask a server of Swagger's.
        validatorUrl: null,
        // Computers are shared: the token is gone with the page.
        persistAuthorization: false,
        responseInterceptor: signIn
    });
})();
