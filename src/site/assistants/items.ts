import { pauses } from '../../api/concurrency/yielding';
import { invalid } from '../../api/errors/errors';
import { Splitter } from '../../api/json/splitter';
import { MAX_TOOL_BYTES, MAX_TOOL_READ, inBytes } from '../../limits';

/** Bytes that are split in a step. */
const STEP = 64 * 1024;

/** The items of an array in the JSON text of an object, which may be cut short. */
export async function* itemsOf(text: Buffer, name: string): AsyncGenerator<Buffer> {
    const splitter = new Splitter({ splits: ([first, ...more]) => first === undefined || (first === name && more.length === 0), most: Infinity });
    const pause = pauses();
    for (let at = 0; at < text.length; at += STEP) {
        for (const { path: [first], bytes } of splitter.read(text.subarray(at, at + STEP))) {
            if (first === name) {
                yield bytes;
            }
        }

        await pause();
    }
}

/** The id of a thing, which is the first of its fields. */
const idIn = (item: Buffer): string => String(/^\{"id":"(\d+)"/.exec(item.toString('utf8', 0, 40))?.[1]);

/** Most bytes of one thing, so that there is room for others. */
const MAX_ITEM_BYTES = MAX_TOOL_BYTES / 2;

/**
 * JSON text of as many things of a list as a tool shows at once, with what to ask for next.
 * @param text JSON text of an object with the list
 * @param after the id of the thing after which to begin
 * @throws 400 if there is none with that id
 */
export async function listAfter(text: Buffer, name: string, after: string | undefined): Promise<string> {
    const shown: string[] = [];
    let [bytes, isAfter, last, isCut] = [0, after === undefined, '', false];
    for await (const item of itemsOf(text, name)) {
        const id = idIn(item);
        if (isAfter) {
            const one = item.length <= MAX_ITEM_BYTES ? item.toString() : JSON.stringify({ id, left_out: `It has ${item.length} bytes, more than is shown here.` });
            bytes += Buffer.byteLength(one);
            isCut = bytes > MAX_TOOL_BYTES;
            if (isCut) {
                break;
            }

            shown.push(one);
            last = id;
        }

        isAfter ||= id === after;
    }

    if (!isAfter && text.length < MAX_TOOL_READ) {
        throw invalid([{ path: 'after', message: `There is nothing with the id ${after} here any more. Begin again without "after"` }]);
    }

    const more = isCut ? `,"more":"There are more: ask again with after=${last}."` : '';
    const tooLarge = !isCut && text.length >= MAX_TOOL_READ ? `,"more":"There are more, beyond the first ${inBytes(MAX_TOOL_READ)}, which is all that is read here. The editor shows them."` : '';
    return `"${name}":[${shown.join(',')}]${more}${tooLarge}`;
}
