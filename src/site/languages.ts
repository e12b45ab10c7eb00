import { languages as preferred } from '@hapi/accept';
import type { Request } from '@hapi/hapi';
import i18next from 'i18next';
import { LRUCache } from 'lru-cache';

import { ownCopy } from '../api/request/own-copy';
import type { BuiltFiles } from './built-files';
import { textOptions } from './text-options';
import type { Translate } from './text-options';

/** The languages of the site, each with its own name, in the order in which they are offered. */
export const languageNames: Readonly<Record<string, string>> = { en: 'English', es: 'Español', pt: 'Português', ru: 'Русский', ar: 'العربية' };

const known = Object.keys(languageNames);
const DEFAULT = 'en';

export const isLanguage = (value: unknown): boolean => known.includes(String(value));

/** Most `Accept-Language` fields that are kept with the language that they ask for, and the longest one. */
const MAX_FIELDS = 500;
const LONGEST_FIELD = 200;
const asked = new LRUCache<string, string>({ max: MAX_FIELDS });

/** The first language asked for that is known, be it by its region (`es-MX`, RFC 4647 section 3.4). */
function languageAsked(field: string): string {
    try {
        return preferred(field).map((range) => range.toLowerCase().split(/[-_]/, 1).join()).find(isLanguage) ?? DEFAULT;
    }
    catch {
        // It is malformed.
        return DEFAULT;
    }
}

/** The language of a page: what `?lang=` says, or else the best that `Accept-Language` asks for. */
export function languageOf({ query, headers }: Pick<Request, 'query' | 'headers'>): string {
    const field: unknown = headers['accept-language'];
    if (isLanguage(query.lang)) {
        return String(query.lang);
    }

    if (typeof field !== 'string' || field.length > LONGEST_FIELD) {
        return DEFAULT;
    }

    const before = asked.get(field);
    const language = before ?? languageAsked(field);
    if (before === undefined) {
        asked.set(ownCopy(field), language);
    }

    return language;
}

/** The direction in which a language is written. */
export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** The texts of each language. */
export function translations({ languages }: Pick<BuiltFiles, 'languages'>): (language: string) => Translate {
    const instance = i18next.createInstance();
    // Without anything to load, it is ready at once.
    void instance.init({ ...textOptions, initAsync: false, lng: DEFAULT, resources: Object.fromEntries([...languages].map(([language, { texts }]) => [language, { translation: texts }])) });
    const byLanguage = new Map(known.map((language) => [language, instance.getFixedT(language)]));
    return (language) => {
        const t = byLanguage.get(language);
        return (key, values) => String(t?.(key, values));
    };
}
