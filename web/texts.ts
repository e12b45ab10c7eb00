import i18next from 'i18next';

import { textOptions } from '../src/site/text-options';
import type { Translate } from '../src/site/text-options';

/** Loads the texts of the page's language. */
export async function loadTexts(): Promise<Translate> {
    const { lang, dataset } = document.documentElement;
    const response = await fetch(String(dataset.texts));
    const instance = i18next.createInstance();
    await instance.init({ ...textOptions, lng: lang, resources: { [lang]: { translation: await response.json() } } });
    return (key, values) => instance.t(key, values);
}
