/** A `#` that does not follow a letter or digit, then letters, marks and digits of any script and `_`. Linear: no two parts can match the same text. */
const hashtag = /(?<![\p{L}\p{Nd}])#([\p{L}\p{M}\p{Nd}_]+)/gu;

/** The one spelling a tag is kept and looked up in. */
export const normalTag = (tag: string): string => tag.toLowerCase().normalize('NFC');

/** The tags of a description, in order, each once. */
export function tagsOf(description: string): string[] {
    return [...new Set([...description.normalize('NFC').matchAll(hashtag)].map(([, tag = '']) => normalTag(tag)))];
}
