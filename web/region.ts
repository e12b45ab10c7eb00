/** A language of the site as it is written where the reader is, for dates and numbers: `en-GB` for `en`. */
export const inRegion = (language: string): string => navigator.languages.find((one) => one.toLowerCase().split('-', 1)[0] === language) ?? language;

/** A time of the API, in words of a language. */
export const timeIn = (language: string, time: string): string => new Intl.DateTimeFormat(inRegion(language), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

/** The language of the page, as it is written where the reader is. */
export const pageLocale = (): string => inRegion(document.documentElement.lang);

/** A time of the API, in words of the language of the page. */
export const timeHere = (time: string): string => timeIn(document.documentElement.lang, time);
