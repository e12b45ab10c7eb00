/** The script of the page at `/docs`. It runs in the browser; `npm run build` makes it a plain script. */

interface SwaggerResponse {
    status: number;
    url: string;
    text?: string;
    body?: { token?: { access_token: string }; user?: { id: string; username: string } };
}

interface SwaggerUi {
    preauthorizeApiKey(scheme: string, token: string): void;
}

interface MarkdownProps {
    source?: string;
}

/** A React component, and the function that creates an element of one. */
type Component = (props: MarkdownProps) => unknown;
interface System {
    React: { createElement(type: string | Component, props: object | null, ...children: unknown[]): unknown };
}

/** The global that `swagger-ui-bundle.js` sets. */
declare const SwaggerUIBundle: (options: object) => SwaggerUi;

/** Signs the user in after opening an account or requesting a token, so that there is no token to copy. */
const signIn = (response: SwaggerResponse): SwaggerResponse => {
    const { token, user } = response.body ?? {};
    const account = document.querySelector('#account');
    if (response.status === 201 && token !== undefined && user !== undefined && account !== null) {
        ui.preauthorizeApiKey('bearer', token.access_token);
        account.textContent = `Signed in as ${user.username}. Your user id is ${user.id}.`;
        account.classList.add('signed-in');
    }

    return response;
};

/**
 * Puts a random username into the examples, so that opening an account and signing in work with the prefilled values, also
 * for the next user who tries them.
 */
const ownExamples = (response: SwaggerResponse): SwaggerResponse => {
    const text = response.text?.replaceAll('"new-author"', `"new-author-${Math.random().toString(36).slice(2, 8)}"`);
    return { ...response, text };
};

/** Folds long parts, so that the operations are visible at once, and a response is not hidden below its headers. */
const foldLongParts = () => ({
    wrapComponents: {
        // In a description, everything after its first heading.
        Markdown(Original: Component, { React: { createElement } }: System): Component {
            return (props) => {
                const { source = '' } = props;
                const headings = [...source.matchAll(/^## (.*)$/gm)];
                const from = headings[0]?.index;
                return from === undefined ? createElement(Original, props) : createElement('div', null,
                    createElement(Original, { ...props, source: source.slice(0, from) }),
                    createElement('details', null,
                        createElement('summary', null, `For every request: ${headings.map(([, heading = '']) => heading.toLowerCase()).join(', ')}`),
                        createElement(Original, { ...props, source: source.slice(from) })));
            };
        },
        headers(Original: Component, { React: { createElement } }: System): Component {
            return (props) => createElement('details', null, createElement('summary', null, 'Headers'), createElement(Original, props));
        }
    }
});

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
    responseInterceptor: (response: SwaggerResponse) => (response.url.endsWith('/openapi.json') ? ownExamples(response) : signIn(response)),
    plugins: [foldLongParts]
});
