/** A cell's kind by its look; words may be a name. */
export type CellKind = 'address' | 'date' | 'number' | 'class' | 'words';

const ADDRESS = String.raw`(?:mailto:)?[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+|(?:https?:\/\/|www\.)[^\s<>()]+`;
const DAY = String.raw`\p{Nd}{1,4}\s?[.\/\-年]\s?\p{Nd}{1,2}\s?[.\/\-月]\s?\p{Nd}{1,4}日?|\p{Nd}{1,2}[.\/\-]\p{L}{3,}\.?[.\/\-]\p{Nd}{2,4}`;
const MONTH = String.raw`\p{Nd}{1,2}(?:\.|st|nd|rd|th|er|º)?\s(?:de\s)?\p{L}{3,}\.?,?\s(?:de\s)?\p{Nd}{4}`
    + String.raw`|\p{L}{3,}\.?\s\p{Nd}{1,2}(?:st|nd|rd|th)?,?\s\p{Nd}{4}`;
/** Words before a date: days of the week, and that somebody was born then. What may be a name, too, has a sign behind it. */
const WEEKDAY = String.raw`(?:tues?|wed(?:nes)?|thu(?:rs)?|fri|mon(?=day)|sat(?=urday)|satur|sun(?=day))(?:day)?|(?:mo|di|mi|do|fr`
    + String.raw`|sa|so|mon|sat|sun)[.,]`
    + String.raw`|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes`
    + String.raw`|miércoles|jueves|viernes|sábado|domingo`;
const BORN = String.raw`\*|geb\.?|geboren(?:\sam)?|born(?:\son)?|d\.?o\.?b\.?|née?(?:\(e\))?(?:\sle)?|nat[oa](?:\sil)?`
    + String.raw`|nacid[oa](?:\sel)?|nascid[oa](?:\sem)?|nar\.|р\.|род\.`;
const DATE = String.raw`(?:(?:${WEEKDAY}|${BORN}),?:?\s?)?(?:${DAY}`
    + String.raw`|${MONTH})(?:[T\s]\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2}(?:\.\p{Nd}+)?)?Z?)?(?:\s?(?:г|р|года|року)(?!\p{L})\.?)?`;
const PHONE = String.raw`\+?\p{Nd}[\p{Nd}\s\/().\-]{5,}\p{Nd}`;
/** Classes with names of their own, as in France, Spain and Britain. */
const SCHOOL = String.raw`c(?:p|e[12]|m[12])(?:\s\p{L})?|p[1-7]|\p{Nd}(?:nde|de|re|ère|er|e|è)\s?\p{Nd}|\p{Nd}[.°ºª]?\s(?:eso`
    + String.raw`|bach\p{L}*|prim\p{L}*|inf\p{L}*)\.?(?:\s\p{L})?|kindergarten|reception`;
const CLASS = String.raw`(?:class|year|grade|form|klasse|kl|jahrgang|stufe|classe|cl|clase|curso|turma|ano|třída|klasa|sınıf|класс`
    + String.raw`|кл|الصف)(?:[\s.]+[\p{L}\p{Nd}]{1,8}|\p{Nd}{1,2})(?:[\s.\-\/]{0,2}\p{L})?|\p{Nd}{1,2}(?:[.°º]|e`
    + String.raw`|ème)?[\s.\-\/]{0,2}\p{L}\p{Nd}?|${SCHOOL}|\p{Nd}{1,2}[.\s]*(?:класс|кл|klasse|sınıf|年级|年級|班).*`
    + String.raw`|[一二三四五六七八九十\p{Nd}]+年(?:级|級)?.{0,3}班?`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, 'iu');
const [isDate, isClass] = [whole(DATE), whole(CLASS)];
const isNumber = /^[^\p{L}]*\p{N}[^\p{L}]*$|^\p{Nd}{1,2}\s?(?:years?(?:\sold)?|yrs?|jahre?|ans|anni|años|anos|let|roků|лет|года?|岁|歲|歳)$/iu;
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

    const text = unquoted(tidy(cell));
    const rest = text.replace(addresses, '');
    if (rest !== text && !hasLetter(rest)) {
        return 'address';
    }

    return isDate.test(text) ? 'date' : isNumber.test(text) || isCode.test(text) ? 'number' : isClass.test(text) ? 'class' : 'words';
}

/** Marks before a name in a list: a bullet, a box, a number. A number alone with a blank is one only if there is a name behind it. */
const BEFORE = new RegExp(String.raw`^(?:[•●○◦▪▫■□☐☑☒✓✔✗✘‣⁃►▶→·*>#_~+–—\uE000-\uF8FF-]+\s*|(?:\d\uFE0F?\u20E3)+\s*|\[[ xX✓]?\]\s*`
    + String.raw`|[№#]\s*|n[º°o]\.?\s*(?=\p{Nd})|[(（[]?\p{Nd}{1,4}\s?[.)）\]、．:：–/-]+\s*|\p{Nd}{1,4}[º°ª]?\s+(?=\p{L})`
    + String.raw`|[\u2460-\u24FF]\s*|\p{L}\)\s+)`, 'iu');
const quotes = [
    ['"', '"'], ['\'', '\''], ['“', '”'], ['„', '“'], ['„', '”'], ['„', '"'], ['‚', '‘'], ['‹', '›'], ['›', '‹'],
    ['**', '**'], ['«', '»'], ['»', '«'], ['‘', '’'], ['`', '`'], ['「', '」']
] as const;

/** A class before two words, and a class, a year or a long number behind them. */
const BESIDE = /^\p{Nd}{1,2}\p{L}\s+(?=\p{L}\S*\s\S)|^(\S+\s\S.*?)[\s–:/-]+(?:\p{Nd}{4,}|\p{Nd}{1,2}[.\-/]?\p{L})$/u;

/** Words in brackets that say how somebody is spoken of, or is there: "(she/her)", "(Guest)". */
const ASIDE = /^(?:\p{L}{1,5}(?:\s?\/\s?\p{L}{1,6})+|guest|gast|invitée?|invitad[oa]|convidad[oa]|ospite|гость|ضيف|extern(?:al)?)$/iu;

/** A text without the quotes that are all around it. */
function unquoted(text: string): string {
    const pair = quotes.find(([open, close]) => text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close));
    const inside = pair === undefined ? text : text.slice(pair[0].length, -pair[1].length);
    return pair !== undefined && pair.every((quote) => !inside.includes(quote)) ? inside.trim() : text;
}

/** The words of a cell that can be a name: without addresses, dates, telephone numbers, bullets, and quotes around it. Empty if there are none. */
export function wordsIn(cell: string): string {
    if (cell.length > MAX_CELL) {
        return tidy(cell);
    }

    let text = tidy(tidy(cell).replace(addresses, ' ').replace(dates, ' ').replace(phones, ' '));
    text = text.replace(/[([<{（]([^()[\]<>{}（）]*)[)\]>}）]/gu, (all, inside: string) => (/^\p{P}*$/u.test(inside.trim()) || ASIDE.test(inside.trim()) || kindOf(inside) !== 'words' ? ' ' : all));
    for (let before = ''; before !== text;) {
        before = text;
        text = unquoted(tidy(text.replace(BEFORE, '').replace(/^[\s,;:،؛、，；|]+|[\s,;:،؛、，；|–—<([*_✓✔✗✘•·†-]+$|(?<=\p{L}{4})\.$/gu, '').replace(BESIDE, '$1')));
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
