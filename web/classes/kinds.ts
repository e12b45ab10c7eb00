/** A cell's kind by its look; words may be a name. */
export type CellKind = 'address' | 'date' | 'number' | 'class' | 'words';

const ADDRESS = String.raw`(?:mailto:)?[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+|(?:https?:\/\/|www\.)[^\s<>()]+`;
const DAY = String.raw`\p{Nd}{1,4}\s?[.\/\-年]\s?\p{Nd}{1,2}\s?[.\/\-月]\s?\p{Nd}{1,4}日?`;
const MONTH = String.raw`\p{Nd}{1,2}(?:\.|st|nd|rd|th|er|º)?\s(?:de\s)?\p{L}{3,}\.?,?\s(?:de\s)?\p{Nd}{4}|\p{L}{3,}\.?\s\p{Nd}{1,2}(?:st|nd|rd|th)?,\s?\p{Nd}{4}`;
const DATE = String.raw`(?:${DAY}|${MONTH})(?:[T\s]\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2}(?:\.\p{Nd}+)?)?Z?)?`;
const PHONE = String.raw`\+?\p{Nd}[\p{Nd}\s\/().\-]{5,}\p{Nd}`;
const CLASS = String.raw`(?:class|year|grade|form|klasse|kl|jahrgang|stufe|classe|cl|clase|curso|turma|ano|třída|klasa|sınıf|класс|кл|الصف)(?:[\s.]+[\p{L}\p{Nd}]{1,8}|\p{Nd}{1,2})(?:[\s.\-\/]{0,2}\p{L})?|\p{Nd}{1,2}(?:[.°º]|e|ème)?[\s.\-\/]{0,2}\p{L}\p{Nd}?|\p{Nd}{1,2}[.\s]*(?:класс|кл|klasse|sınıf|年级|年級|班).*|[一二三四五六七八九十\p{Nd}]+年(?:级|級)?.{0,3}班?`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, 'iu');
const [isDate, isClass] = [whole(DATE), whole(CLASS)];
const isNumber = /^[^\p{L}]*\p{N}[^\p{L}]*$/u;
/** A number of a pupil, or what somebody signs in with. */
const isCode = /^(?=(?:\P{Nd}*\p{Nd}){3})[\p{L}\p{Nd}._\/-]+$|^[a-z._]+\d+$/u;
const found = (pattern: string): RegExp => new RegExp(`(?<![\\p{L}\\p{Nd}])(?:${pattern})(?![\\p{L}\\p{Nd}])`, 'giu');
const [addresses, dates, phones] = [new RegExp(ADDRESS, 'giu'), found(DATE), found(PHONE)];

/** On one line, without signs that nobody sees. What joins letters, as in Persian, stays. */
export const tidy = (text: string): string => text.replace(/[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, '').replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ').trim();

const hasLetter = (text: string): boolean => /\p{L}/u.test(text);

/** Characters of the longest cell that is looked at: a longer one is a text. */
const MAX_CELL = 300;

export function kindOf(cell: string): CellKind {
    if (cell.length > MAX_CELL) {
        return 'words';
    }

    const text = tidy(cell);
    const rest = text.replace(addresses, '');
    if (rest !== text && !hasLetter(rest)) {
        return 'address';
    }

    return isDate.test(text) ? 'date' : isNumber.test(text) || isCode.test(text) ? 'number' : isClass.test(text) ? 'class' : 'words';
}

/** Marks before a name in a list: a bullet, a box, a number. A number alone with a blank is one only if there is a name behind it. */
const BEFORE = /^(?:[•●○◦▪▫■□☐☑☒✓✔✗✘‣⁃►▶→·*>#_~–—-]+\s*|\[[ xX✓]?\]\s*|[№#]\s*|n[º°o]\.?\s*(?=\p{Nd})|[(（[]?\p{Nd}{1,4}\s?[.)）\]、．:：–-]+\s*|\p{Nd}{1,4}\s+(?=\p{L})|[\u2460-\u24FF]\s*|\p{L}\)\s+)/iu;
const quotes = [['"', '"'], ['\'', '\''], ['“', '”'], ['„', '“'], ['„', '”'], ['«', '»'], ['»', '«'], ['‘', '’'], ['`', '`'], ['「', '」']] as const;

/** A text without the quotes that are all around it. */
function unquoted(text: string): string {
    const pair = quotes.find(([open, close]) => text.length > 2 && text.startsWith(open) && text.endsWith(close));
    const inside = pair === undefined ? text : text.slice(1, -1);
    return pair !== undefined && pair.every((quote) => !inside.includes(quote)) ? inside.trim() : text;
}

/** The words of a cell that can be a name: without addresses, dates, telephone numbers, bullets, and quotes around it. Empty if there are none. */
export function wordsIn(cell: string): string {
    if (cell.length > MAX_CELL) {
        return tidy(cell);
    }

    let text = tidy(tidy(cell).replace(addresses, ' ').replace(dates, ' ').replace(phones, ' '));
    text = text.replace(/[([<{（]([^()[\]<>{}（）]*)[)\]>}）]/gu, (all, inside: string) => (/^\p{P}*$/u.test(inside.trim()) || kindOf(inside) !== 'words' ? ' ' : all));
    for (let before = ''; before !== text;) {
        before = text;
        text = unquoted(tidy(text.replace(BEFORE, '').replace(/^[\s,;:،؛、，；|]+|[\s,;:،؛、，；|–—<([-]+$/gu, '')));
    }

    return hasLetter(text) ? text : '';
}

/** The kind of most of the cells; words if there are none. */
export function kindOfColumn(cells: readonly string[]): CellKind {
    const kinds = cells.filter((cell) => cell !== '').map(kindOf);
    const most = (['address', 'date', 'class', 'number'] as const).find((kind) => kinds.filter((one) => one === kind).length * 2 > kinds.length);
    // A column of numbers and classes has no names, either.
    return most ?? (kinds.length > 0 && kinds.every((kind) => kind !== 'words') ? 'number' : 'words');
}
