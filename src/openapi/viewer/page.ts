const local = 'Open an account with POST /users: choose a name and a password of your own in its example, and press “Execute”.';
const elsewhere = 'Sign in at the identity provider of this service, press “Authorize”, and paste the token under “bearer”.';

/**
 * The page at `/docs`. All that it loads is beside it, for a room without internet.
 * @param isLocal whether the service makes its tokens itself
 */
export const page = (isLocal: boolean): string => `<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Pagewright: the API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
    <div class="swagger-ui" style="position: sticky; top: 0; z-index: 2; background: #fff; border-bottom: 1px solid #ccc"><div class="wrapper"><p id="account" role="status">
        New here? ${isLocal ? local : elsewhere}
        This page then signs your further requests, until it is reloaded or closed.
    </p></div></div>
    <div id="viewer"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/viewer.js"></script>
</body>
</html>
`;
