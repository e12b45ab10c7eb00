import type { Component, Kept, KeptOperation, KeptTag, System } from './swagger-ui.js';

/** Folds long parts, so that the operations are visible at once, and a response is not hidden below its headers. */
export const foldLongParts = () => ({
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
export const filter = () => ({
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

/** Tags of one list, each of which has ten operations or so. */
const TAGS = 7;

/** Of a list of 150 rows or more, Swagger UI draws only what is near the window. The search of browsers and links to operations do not find the others, so these are several lists. */
export const inLists = () => ({
    wrapComponents: {
        operations(Original: Component, { React: { createElement } }: System): Component {
            return (props) => {
                const tags = props.specSelectors.taggedOperations();
                // An empty list says so.
                const lists = Array.from({ length: Math.max(1, Math.ceil(tags.size / TAGS)) }, (_one, n) => tags.slice(n * TAGS, (n + 1) * TAGS));
                return createElement('div', null, ...lists.map((list) => createElement(Original, { ...props, specSelectors: { ...props.specSelectors, taggedOperations: () => list } })));
            };
        }
    }
});
