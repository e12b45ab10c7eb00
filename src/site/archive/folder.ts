import { mkdir, open, opendir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { errorCode } from '../../database/error-code';
import { fieldOf } from '../../api/json/is-object';

/** The file that says that a folder is an archive, and of which database. */
const MARK = 'archive.json';
const FORMAT = 'pagewright-archive';

/** Bytes at the end of a file that are read to see what it has. */
const TAIL = 64 * 1024;

/** The name of a file not whole yet. */
const UNFINISHED = /\.part$/;

/** The names of pages, of which nothing else in the folder is: what somebody adds, such as a `robots.txt`, stays. */
const pagesAtTop = /^(?:index|people|tags|languages|collections|missing|imprint|privacy)(?:-\d+)?\.html(?:\.\d+\.part)?$/;

const orNothing = async <Value>(work: Promise<Value>): Promise<Value | undefined> => {
    try {
        return await work;
    }
    catch (error) {
        if (errorCode(error) === 'ENOENT') {
            return undefined;
        }

        throw error;
    }
};

/** A folder with an archive. Its files are written under another name first, so that there is never half of one. */
export class ArchiveFolder {
    readonly root: string;
    #begun = 0;

    constructor(root: string) {
        this.root = root;
    }

    /**
     * Makes the folder, or takes one that has an archive of this database already.
     * @throws Error for an operator, if there is something else in it
     */
    async begin(database: string, place: string): Promise<void> {
        await mkdir(this.root, { recursive: true });
        const names = await readdir(this.root);
        const mark = markIn(await orNothing(readFile(join(this.root, MARK), 'utf8')) ?? '');
        if (mark === undefined && names.some((name) => !UNFINISHED.test(name))) {
            throw new Error(`${this.root} is not empty, and is no archive. Choose another folder, or a new one.`);
        }

        if (mark !== undefined && mark.database !== database) {
            throw new Error(`${this.root} is the archive of another database, so nothing in it is replaced. Choose another folder, or check DATABASE_URL and DATA_DIR.`);
        }

        await this.write(MARK, `${JSON.stringify({ format: FORMAT, version: 1, place, database, written_at: new Date().toISOString() })}\n`);
        this.#begun = (await stat(join(this.root, MARK))).mtimeMs;
    }

    /** Writes a file as a whole. */
    async write(name: string, content: string | Buffer | AsyncIterable<string | Uint8Array>): Promise<void> {
        const path = join(this.root, name);
        const part = `${path}.${process.pid}.part`;
        await mkdir(dirname(path), { recursive: true });
        try {
            await writeFile(part, content);
            await rename(part, path);
        }
        catch (error) {
            await rm(part, { force: true });
            throw error;
        }
    }

    async has(name: string): Promise<boolean> {
        return await orNothing(stat(join(this.root, name))) !== undefined;
    }

    async remove(name: string): Promise<void> {
        await rm(join(this.root, name), { force: true });
    }

    /** The names in a folder of the archive; none if there is no such folder. */
    async list(name: string): Promise<string[]> {
        return await orNothing(readdir(join(this.root, name))) ?? [];
    }

    /** The last text of a file; undefined if there is no such file. */
    async end(name: string): Promise<string | undefined> {
        const file = await orNothing(open(join(this.root, name)));
        try {
            if (file === undefined) {
                return undefined;
            }

            const from = Math.max(0, (await file.stat()).size - TAIL);
            const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(TAIL), position: from });
            return buffer.toString('utf8', 0, bytesRead);
        }
        finally {
            await file?.close();
        }
    }

    /** The number of all files, and their bytes. */
    async size(name = '.'): Promise<{ files: number; bytes: number }> {
        let [files, bytes] = [0, 0];
        for await (const entry of await opendir(join(this.root, name))) {
            const path = join(name, entry.name);
            const size = entry.isDirectory() ? await this.size(path) : { files: 1, bytes: (await stat(join(this.root, path))).size };
            files += size.files;
            bytes += size.bytes;
        }

        return { files, bytes };
    }

    /** Removes the pages that were not written since {@link begin}. */
    async removeOlder(): Promise<void> {
        for (const name of (await this.list('.')).filter((each) => pagesAtTop.test(each))) {
            await this.#removeIfOlder(name);
        }

        for (const folder of ['browse', 'languages', 'tags', 'u', 'c']) {
            for (const inside of await this.list(folder)) {
                const isPage = inside.includes('.');
                for (const name of isPage ? [''] : await this.list(`${folder}/${inside}`)) {
                    await this.#removeIfOlder(join(folder, inside, name));
                }
            }
        }
    }

    async #removeIfOlder(name: string): Promise<void> {
        if ((await stat(join(this.root, name))).mtimeMs < this.#begun) {
            await this.remove(name);
        }
    }
}

/** The mark of an archive in a text; undefined if it is none. */
function markIn(text: string): { database: unknown } | undefined {
    try {
        const mark: unknown = JSON.parse(text);
        return fieldOf(mark, 'format') === FORMAT ? { database: fieldOf(mark, 'database') } : undefined;
    }
    catch {
        return undefined;
    }
}
