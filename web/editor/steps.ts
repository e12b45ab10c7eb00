import { fieldOf } from '../../src/api/json/is-object';

/** A change, as far as it matters here. */
export interface AnyChange {
    readonly type: string;
    readonly method: string;
    readonly base?: { readonly id: string };
    readonly data?: object;
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

const isInside = (text: string, place: number): boolean => place < text.length && words.segment(text).containing(place)?.index !== place;

/** Whether what became of a text begins in the middle of a word: then it goes on with an edit of that word. */
export function isInsideWord(before: string, after: string): boolean {
    const most = Math.min(before.length, after.length);
    let same = 0;
    while (same < most && before[same] === after[same]) {
        ++same;
    }

    return isInside(after, same) || isInside(before, same);
}

interface TextEdit {
    id: string;
    before: string;
    after: string;
}

const textIn = (thing: unknown): unknown => fieldOf(fieldOf(thing, 'attributes'), 'text') ?? fieldOf(fieldOf(thing, 'attributes'), 'innerHTML');

/** The only text that a save edits. */
function textEditOf([change, ...others]: readonly AnyChange[]): TextEdit | undefined {
    if (change?.type !== 'elements' || change.method !== 'update' || change.base === undefined || others.length > 0) {
        return undefined;
    }

    const [before, after] = [textIn(change.base), textIn(change.data)];
    return typeof before === 'string' && typeof after === 'string' && before !== after ? { id: change.base.id, before, after } : undefined;
}

/** Follows saves one after the other, and says which of them are one step to undo: those that go on in the middle of a word. */
export class Steps {
    #last: { edit: TextEdit; step: string } | undefined;

    /** @param idOf the same id for an element as of the saves before */
    next(changes: readonly AnyChange[], idOf: (id: string) => string): string {
        const edit = textEditOf(changes);
        const last = this.#last;
        const goesOn = edit !== undefined && last !== undefined && idOf(last.edit.id) === idOf(edit.id) && last.edit.after === edit.before && isInsideWord(edit.before, edit.after);
        const step = goesOn ? last.step : crypto.randomUUID();
        this.#last = edit && { edit, step };
        return step;
    }
}
