/** The text of a key in the page's language, with values in the place of `{{name}}`. `count` chooses the plural form. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string;

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A value that does not turn around the text next to it: what is written right to left is isolated (UAX #9, section 2.7, FSI and PDI). */
const isolated = (value: string): string => (rightToLeft.test(value) ? `\u2068${value}\u2069` : value);

/** How i18next reads the texts in `web/locales/`, on the server and in browsers. Preact escapes what is shown, so i18next must not. */
export const textOptions = { keySeparator: false, nsSeparator: false, interpolation: { escapeValue: true, escape: isolated } } as const;
