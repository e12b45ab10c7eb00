/** The text of a key in the page's language, with values in the place of `{{name}}`. `count` chooses the plural form. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string;

/** How i18next reads the texts in `web/locales/`, on the server and in browsers. Preact escapes what is shown, so i18next must not. */
export const textOptions = { keySeparator: false, nsSeparator: false, interpolation: { escapeValue: false } } as const;
