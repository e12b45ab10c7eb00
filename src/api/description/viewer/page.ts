const signsIn = 'Press “Authorize” to sign in, or open an account: in POST /users below, choose a name and a password of your own, and press “Execute”.';
const local = 'Open POST /users below, choose a name and a password of your own, and press “Execute”.';
const elsewhere = 'Sign in at the identity provider of this service, press “Authorize”, and paste the token under “bearer”.';

const ways = { signsIn, local, elsewhere };

/**
 * The page at `/docs`. It loads nothing from other hosts, so that it works without internet.
 * @param way how people sign in: at the service, by sending a password, or at an identity provider
 */
export const docsPage = (way: keyof typeof ways): string => `<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Pagewright: the API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="preload" href="/openapi.json" as="fetch" crossorigin>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
    <p id="account" role="status" data-way="${way}">
        New here? ${ways[way]}
        Your further requests are then signed, until you reload or close this page.
    </p>
    <div id="viewer">
        <p>Loading the operations…</p>
        <noscript><p>This page needs JavaScript. The same description is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
    </div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/docs.js"></script>
</body>
</html>
`;
