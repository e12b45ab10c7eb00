import { errorDefinitions } from '../../errors/registry';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A text of the registry, in which names are between backticks. */
const shown = (text: string): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');

const parts = Object.entries(errorDefinitions).sort(([a], [b]) => a.localeCompare(b, 'en')).map(([code, { status, meaning }]) => `
    <dt id="${code}"><code>${code}</code> (${status})</dt>
    <dd>${shown(meaning)}</dd>`);

/** The page at `/docs/errors`: what each code of an error means. The `type` of an error as RFC 9457 has it is its part about the code. */
export const errorsPage = `<!doctype html>
<html lang="en">
<head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Pagewright: errors of the API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
    <h1>Errors of the API</h1>
    <p>Every error has a <code>code</code> for programs, which stays the same even if its message changes. <a href="/docs">The API</a></p>
    <dl>${parts.join('')}
    </dl>
</body>
</html>
`;
