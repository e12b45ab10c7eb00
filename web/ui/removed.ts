import type { TrashEntry } from '../../client/src/index.js';
import { wordsOf } from '../../client/src/render/webmaker';
import type { Translate } from '../../src/site/text-options';

/** A removed thing in words: an element by its own words, if it has any. */
export function nameOfRemoved(t: Translate, { type, project: { title }, thing }: TrashEntry): string {
    if (!('attributes' in thing)) {
        return t(`trash.${String(type)}`, { title });
    }

    const { attributes } = thing;
    const words = [wordsOf(attributes), attributes.alt].find((value) => typeof value === 'string' && value !== '');
    const what = t(`editor.type_${thing.type === 'shape' ? String(attributes.shape) : thing.type}`);
    return words === undefined ? t('trash.thing', { what, title }) : t('trash.words', { what, words: String(words).slice(0, 80), title });
}
