/** A clipboard's content. */
export interface Clip {
    text: string;
    html: string;
    /** names of the files, of which the first may be a picture of the text */
    names: readonly string[];
}

/** Whether the files of a clipboard are meant. Spreadsheets and text processors also copy a picture of the text; file managers also copy the names of files as text, and browsers the address of a picture. */
export function meansFiles({ text, html, names }: Clip): boolean {
    const words = text.trim();
    const lines = words.split(/\r?\n/).map((line) => line.split(/[\\/]/).at(-1));
    const isOnlyPicture = /<img\b/i.test(html) && html.replace(/<(?:style|script)\b[\s\S]*?<\/\w+>|<!--[\s\S]*?-->|<[^>]*>/gi, '').trim() === '';
    return names.length > 0 && (words === '' || lines.every((line) => names.includes(String(line))) || (isOnlyPicture && URL.canParse(words)));
}
