/** The texts in the language of an account, or in English. @param texts by language, one of them `en` @param own a tag, such as `pt-BR` */
export function inLanguage<Texts>(texts: Readonly<Record<'en', Texts>> & Readonly<Record<string, Texts>>, own: string): [language: string, texts: Texts] {
    const [primary = ''] = own.toLowerCase().split(/[-@.]/);
    const known = Object.hasOwn(texts, primary) ? texts[primary] : undefined;
    return known === undefined ? ['en', texts.en] : [primary, known];
}

/** A text set apart from the text around it, which may be written in the other direction (UAX #9, section 2.7, FSI and PDI). */
export const isolated = (text: string, language: string): string => (language === 'ar' ? `\u2068${text}\u2069` : text);
