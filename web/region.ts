/** A language of the site as it is written where the reader is, for dates and numbers: `en-GB` for `en`. */
export const inRegion = (language: string): string => navigator.languages.find((one) => one.toLowerCase().split('-', 1)[0] === language) ?? language;

/** The language of the page, as it is written where the reader is. */
export const pageLocale = (): string => inRegion(document.documentElement.lang);
