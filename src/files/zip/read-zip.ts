import type { FileHandle } from 'node:fs/promises';
import { Readable, pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';

import { RandomAccessReader, fromRandomAccessReaderPromise } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';

import { errorCode } from '../../database/error-code';
import { errorMessage } from '../../database/statements/error-message';

/** A zip that is damaged, or is not as it has to be. */
export class BadZip extends Error {
    /** the name of a file in it; empty for the zip itself */
    readonly place: string;

    constructor(place: string, message: string) {
        super(message);
        this.name = 'BadZip';
        this.place = place;
    }
}

/** A file in a zip. */
export interface ZippedFile {
    /** with `/` between folders, also if whoever packed it wrote `\\` */
    name: string;
    /** bytes once it is inflated, as the zip says; reading fails if it is not so */
    size: number;
    /** Reads it, also several times. Throws `BadZip` if it is damaged. */
    read(): AsyncIterable<Buffer>;
}

/** Bytes that are inflated at a time. */
const CHUNK = 64 * 1024;

/** Bytes of a directory record besides its name, extra fields and comment, and most that it has with them here. */
const RECORD = 46;

/** Reads a file at places, as yauzl asks. Unlike yauzl's own reader it never throws, whatever place a zip names. */
class PlacedReader extends RandomAccessReader {
    readonly #handle: FileHandle;

    constructor(handle: FileHandle) {
        super();
        this.#handle = handle;
    }

    override read(buffer: Buffer, offset: number, length: number, position: number, done: (error: Error | null, bytesRead?: number) => void): void {
        if (!Number.isSafeInteger(position)) {
            setImmediate(done, null, 0);
            return;
        }

        this.#handle.read(buffer, offset, length, position).then(({ bytesRead }) => done(null, bytesRead), done);
    }
}

/**
 * Reads the directory of a zip, and checks what it says of each file before anything is inflated: names that stay inside of it, each once, and kinds. How large files
 * may be is for the caller to check. Folders have no content, and are left out.
 * @param handle of the zip's file, which stays open
 * @param most files and folders
 * @throws BadZip
 */
export async function openZip(handle: FileHandle, size: number, most: number): Promise<Map<string, ZippedFile>> {
    const zip = await unless('', fromRandomAccessReaderPromise(new PlacedReader(handle), size, { autoClose: false, strictFileNames: false }));
    // A record has a name of at least one byte, so a zip cannot even hold more.
    if (zip.entryCount > most || zip.entryCount * RECORD > size) {
        throw new BadZip('', `has more than ${most} files, or says so`);
    }

    const files = new Map<string, ZippedFile>();
    for (let left = zip.entryCount; left > 0; --left) {
        const entry = await unless('', nextEntry(zip));
        const name = entry.fileName;
        check(entry);
        if (files.has(name)) {
            throw new BadZip(name, 'is there twice');
        }

        if (name.endsWith('/')) {
            continue;
        }

        files.set(name, { name, size: entry.uncompressedSize, read: () => contentOf(handle, zip, entry) });
    }

    return files;
}

function nextEntry(zip: ZipFile): Promise<Entry> {
    return new Promise((resolve, reject) => {
        zip.removeAllListeners('entry').removeAllListeners('error').once('entry', resolve).once('error', reject);
        zip.readEntry();
    });
}

const unless = <Result>(place: string, promise: Promise<Result>): Promise<Result> => promise.catch((error: Error) => {
    throw new BadZip(place, `cannot be read as a zip: ${error.message.replace(/\.$/, '')}`);
});

/** The compression method of what is not compressed. */
const STORED = 0;

/** File types of Unix in the upper half of the attributes, if the zip was made there. */
const [UNIX, TYPE, REGULAR, FOLDER] = [3, 0o170000, 0o100000, 0o040000];

/** A name's character for bytes that are no text. */
const NO_TEXT = '\ufffd';

function check(entry: Entry): void {
    const { fileName: name } = entry;
    if (name === '' || name.includes(NO_TEXT)) {
        throw new BadZip(name, 'is no name of a file');
    }

    const type = entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 & TYPE : 0;
    if (type !== 0 && type !== (name.endsWith('/') ? FOLDER : REGULAR)) {
        throw new BadZip(name, 'is a link, or another special file');
    }

    if (entry.isEncrypted()) {
        throw new BadZip(name, 'is encrypted');
    }

    if (!entry.canDecodeFileData()) {
        throw new BadZip(name, `is compressed by method ${entry.compressionMethod}, and only "deflate" is read here`);
    }

    if (name.endsWith('/') && entry.uncompressedSize !== 0) {
        throw new BadZip(name, 'is a folder with bytes of its own');
    }
}

async function* contentOf(handle: FileHandle, zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
    const { fileName: name, compressedSize, uncompressedSize } = entry;
    const { fileName, fileDataStart } = await unless(name, zip.readLocalFileHeaderPromise(entry));
    if (!fileName.equals(entry.fileNameRaw)) {
        throw new BadZip(name, 'has another name where its bytes are');
    }

    let [length, sum] = [0, 0];
    try {
        for await (const chunk of inflated(handle, entry.compressionMethod === STORED, fileDataStart, fileDataStart + compressedSize)) {
            length += chunk.length;
            sum = crc32(chunk, sum);
            if (length > uncompressedSize) {
                break;
            }

            yield chunk;
        }
    }
    catch (error) {
        throw errorCode(error)?.startsWith('Z_') === true ? new BadZip(name, `cannot be inflated: ${errorMessage(error)}`) : error;
    }

    if (length !== uncompressedSize) {
        throw new BadZip(name, 'does not have as many bytes as the zip says');
    }

    if (sum !== entry.crc32) {
        throw new BadZip(name, 'is damaged: its checksum is wrong');
    }
}

function inflated(handle: FileHandle, isStored: boolean, start: number, end: number): AsyncIterable<Buffer> {
    const bytes = bytesBetween(handle, start, end);
    // An error is thrown where it is read.
    return isStored ? bytes : pipeline(Readable.from(bytes, { objectMode: false }), createInflateRaw({ chunkSize: CHUNK }), () => undefined);
}

async function* bytesBetween(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end;) {
        const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(Math.min(CHUNK, end - position)), position });
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
    }
}
