import { assetTypeOf } from './types';
import type { AssetType } from './types';

/** A string of a JSON text that is a data URI of a picture, sound or video. */
interface FoundUri {
    uri: string;
    /** where it stands, with its quotes */
    start: number;
    end: number;
}

const BEGINNING = '"data:';

/** The part after the name of a member. */
const afterName = /\s*:/y;

const isMedia = /^data:(?:image|audio|video)\//i;

/** The place after the quote that ends a JSON string, given a place in it. */
function endOfString(json: string, from: number): number {
    for (let quote = json.indexOf('"', from); ; quote = json.indexOf('"', quote + 1)) {
        let at = quote;
        while (json[at - 1] === '\\') {
            at--;
        }

        if ((quote - at) % 2 === 0) {
            return quote + 1;
        }
    }
}

/** The strings of a JSON text that are data URIs, in order. Names of members are none, nor is what is within another string. */
function* dataUrisIn(json: string): Generator<FoundUri> {
    for (let start = json.indexOf(BEGINNING); start >= 0; start = json.indexOf(BEGINNING, start + 1)) {
        if (json[start - 1] !== '\\') {
            const end = endOfString(json, start + 1);
            const uri = String(JSON.parse(json.slice(start, end)));
            afterName.lastIndex = end;
            if (isMedia.test(uri) && !afterName.test(json)) {
                yield { uri, start, end };
            }
        }
    }
}

/**
 * A JSON text with other strings for some of its data URIs; all else stays as it was written.
 * @param replacement undefined for those that stay
 */
export async function replaceDataUris(json: string, replacement: (uri: string) => Promise<string | undefined>): Promise<string> {
    const pieces: string[] = [];
    let from = 0;
    for (const { uri, start, end } of dataUrisIn(json)) {
        const other = await replacement(uri);
        if (other !== undefined) {
            pieces.push(json.slice(from, start), JSON.stringify(other));
            from = end;
        }
    }

    return pieces.join('') + json.slice(from);
}

/**
 * The bytes of a data URI and their type, as browsers understand it (Fetch Standard, "data: URL processor"); undefined if it is no asset by
 * its type.
 */
export async function decodeDataUri(uri: string): Promise<{ type: AssetType; bytes: Buffer } | undefined> {
    if (!isMedia.test(uri)) {
        return undefined;
    }

    try {
        const response = await fetch(uri);
        return { type: assetTypeOf(response.headers.get('content-type')), bytes: Buffer.from(await response.arrayBuffer()) };
    }
    catch {
        return undefined;
    }
}
