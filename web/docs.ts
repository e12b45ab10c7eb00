/** The script of the page at `/docs`. It runs in the browser; `npm run build` makes it a plain script. */

import { signInWithPagewright } from '../client/src/auth/index.js';
import type { Auth } from '../client/src/auth/index.js';

interface SwaggerResponse {
    status: number;
    url: string;
    text?: string;
    body?: { token?: { access_token: string }; user?: { id: string; username: string } };
}

interface SwaggerUi {
    preauthorizeApiKey(scheme: string, token: string): void;
}

/** An operation in the state of Swagger UI, as maps of Immutable. */
interface KeptOperation {
    get(name: 'path' | 'method'): string;
    getIn(path: readonly string[]): unknown;
}

/** A collection of Immutable. */
interface Kept<Value> {
    size: number;
    filter(test: (value: Value) => boolean): Kept<Value>;
    slice(from: number, to?: number): Kept<Value>;
    map<Other>(change: (value: Value) => Other): Kept<Other>;
    reduce(add: (sum: number, value: Value) => number, start: number): number;
}

interface KeptTag {
    get(name: 'operations'): Kept<KeptOperation>;
    set(name: 'operations', operations: Kept<KeptOperation>): KeptTag;
}

interface Props {
    /** of a description */
    source?: string;
    /** of a link to an operation or a tag */
    path?: string;
    text?: string;
    /** of the filter */
    specSelectors: { taggedOperations(): Kept<KeptTag>; operations(): Kept<unknown> };
    layoutSelectors: { currentFilter(): unknown };
    layoutActions: { updateFilter(words: string): void };
}

/** A React component, and the function that creates an element of one. */
type Component = (props: Props) => unknown;
interface System {
    React: { createElement(type: string | Component, props: object | null, ...children: unknown[]): unknown };
}

/** The global that `swagger-ui-bundle.js` sets. */
declare const SwaggerUIBundle: (options: object) => SwaggerUi;

const account = document.querySelector<HTMLElement>('#account');

/** Says who is signed in, or what went wrong. */
function say(text: string): void {
    if (account !== null) {
        account.textContent = text;
        account.classList.add('signed-in');
    }
}

/** A sign-in by the page of the service. The token is kept in memory: computers are shared. */
async function authorization(): Promise<Auth> {
    const response = await fetch('/oauth/docs', { method: 'POST' });
    const { client_id: clientId, redirect_uri: redirectUri, message }: Record<string, string> = await response.json();
    if (clientId === undefined || redirectUri === undefined) {
        throw new Error(message);
    }

    return signInWithPagewright({ service: location.origin, clientId, redirectUri, scope: ['projects', 'user', 'read'] });
}

/** Finishes a sign-in if people have just come back. */
async function comeBack(): Promise<void> {
    if (!new URLSearchParams(location.search).has('state')) {
        return;
    }

    const auth = await authorization();
    await auth.complete();
    const token = await auth.token();
    if (token !== null) {
        ui.preauthorizeApiKey('bearer', token);
        const response = await auth.fetch(new Request(`${location.origin}/users/me`));
        const { user }: SwaggerResponse['body'] & object = await response.json();
        say(user === undefined ? 'Signed in.' : `Signed in as ${user.username}. Your user id is ${user.id}.`);
    }
}

const tell = (error: unknown): void => say(error instanceof Error ? error.message : String(error));

/** Signs the user in after opening an account or requesting a token, so that there is no token to copy. */
const signIn = (response: SwaggerResponse): SwaggerResponse => {
    const { token, user } = response.body ?? {};
    if (response.status === 201 && token !== undefined && user !== undefined) {
        ui.preauthorizeApiKey('bearer', token.access_token);
        say(`Signed in as ${user.username}. Your user id is ${user.id}.`);
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

/** Finds operations by words of their method, path and summary, and says how many it has found. */
const filter = () => ({
    fn: {
        opsFilter: (tags: Kept<KeptTag>, phrase: string): Kept<KeptTag> => {
            const words = phrase.toLowerCase().split(/\s+/);
            const matches = (operation: KeptOperation): boolean => {
                const text = `${operation.get('method')} ${operation.get('path')} ${String(operation.getIn(['operation', 'summary']))}`.toLowerCase();
                return words.every((word) => text.includes(word));
            };

            return tags.map((tag) => tag.set('operations', tag.get('operations').filter(matches))).filter((tag) => tag.get('operations').size > 0);
        }
    },
    wrapComponents: {
        FilterContainer(_original: Component, { React: { createElement } }: System): Component {
            return ({ specSelectors, layoutSelectors, layoutActions }) => {
                const words = layoutSelectors.currentFilter();
                const all = specSelectors.operations().size;
                const found = specSelectors.taggedOperations().reduce((sum, tag) => sum + tag.get('operations').size, 0);
                const result = found === 0 ? 'None matches: try a part of the path, or fewer words.' : found === all ? `All ${all}` : `${found} of ${all}`;
                return createElement('search', { className: `wrapper filter${found === 0 ? ' none' : ''}${found === all ? '' : ' filtered'}` },
                    createElement('h2', null, 'Operations'),
                    createElement('label', null, createElement('span', null, 'Filter by path, method or summary'), createElement('input', {
                        type: 'search', placeholder: 'Filter, such as: post remix', autoComplete: 'off', spellCheck: false,
                        value: typeof words === 'string' ? words : '',
                        onChange: ({ target: { value } }: { target: { value: string } }) => layoutActions.updateFilter(value)
                    })),
                    createElement('p', { role: 'status' }, result));
            };
        },
        // The button that opens an operation contains its path, which must not be a link then. It sets the same address.
        DeepLink(Original: Component, { React: { createElement } }: System): Component {
            return (props) => (props.path?.includes('/') === true ? createElement('span', null, props.text) : createElement(Original, props));
        }
    }
});

/** Of a list of 150 rows or more, Swagger UI draws only what is near the window. The search of browsers and links to operations do not find the others, so these are two lists. */
const inTwoLists = () => ({
    wrapComponents: {
        operations(Original: Component, { React: { createElement } }: System): Component {
            return (props) => {
                const tags = props.specSelectors.taggedOperations();
                const half = Math.ceil(tags.size / 2);
                // An empty list says so.
                const lists = [tags.slice(0, half), tags.slice(half)].filter(({ size }, n) => n === 0 || size > 0);
                return createElement('div', null, ...lists.map((list) => createElement(Original, { ...props, specSelectors: { ...props.specSelectors, taggedOperations: () => list } })));
            };
        }
    }
});

/** In the dialog to authorize, the way without a token to copy. */
const signingIn = () => ({
    wrapComponents: {
        auths(Original: Component, { React: { createElement } }: System): Component {
            return (props) => createElement('div', null,
                createElement('div', { className: 'sign-in' },
                    createElement('button', { type: 'button', className: 'btn authorize', onClick: () => void authorization().then((auth) => auth.signIn()).catch(tell) }, 'Sign in with your account'),
                    createElement('p', null, 'You are asked what this page may do. Or paste a token:')),
                createElement(Original, props));
        }
    }
});

/** Attributes that Swagger UI's elements lack, by selector; null removes one. */
const attributes: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    '.information-container > section': { 'aria-label': 'About' },
    '.opblock-section-request-body input[type="file"]': { 'aria-label': 'Body of the request' },
    '.body-param__text': { 'aria-label': 'Body of the request' },
    '.examples-select-element': { 'aria-label': 'Example' },
    '.microlight': { tabindex: '0' },
    '.responses-table': { role: null },
    '.parameters-col_description :is(input, select)': { 'aria-label': 'Value of the parameter' },
    '.json-schema-2020-12-accordion:has(> .json-schema-2020-12-accordion__children:empty)': { 'aria-label': 'Schema' },
    '.close-modal': { 'aria-label': 'Close' },
    '.modal-ux': { 'role': 'dialog', 'aria-modal': 'true', 'aria-label': 'Authorize' },
    // After the heading of all operations come those of groups, but not here.
    '.models h4': { 'role': 'heading', 'aria-level': '2' },
    '.webhooks .opblock h4': { 'role': 'heading', 'aria-level': '3' },
    '.webhooks .opblock h5': { 'role': 'heading', 'aria-level': '4' },
    '.auth-container h4': { 'role': 'heading', 'aria-level': '3' },
    '.modal-ux-header > h3': { 'role': 'heading', 'aria-level': '2' },
    '.auth-btn-wrapper .authorize': { 'aria-label': null }
};

/** Gives the elements in the viewer what readers of the screen and users of the keyboard need, as soon as they are there. */
function complete(): void {
    for (const [selector, wanted] of Object.entries(attributes)) {
        for (const element of document.querySelectorAll(`#viewer ${selector}`)) {
            for (const [name, value] of Object.entries(wanted)) {
                if (value === null) {
                    element.removeAttribute(name);
                }
                else {
                    element.setAttribute(name, value);
                }
            }
        }
    }
}

new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });

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
    filter: true,
    syntaxHighlight: { theme: 'obsidian' },
    plugins: [foldLongParts, filter, inTwoLists, ...account?.dataset.way === 'signsIn' ? [signingIn] : []],
    onComplete: () => void comeBack().catch(tell)
});
