import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openZip } from '../../src/files/zip/read-zip';

/** The files in a zip, by their names. */
export async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
    const folder = await mkdtemp(join(tmpdir(), 'pagewright-unzip-'));
    await writeFile(join(folder, 'zip'), bytes);
    const handle = await open(join(folder, 'zip'));
    try {
        const files = new Map<string, Buffer>();
        for (const [name, file] of await openZip(handle, bytes.length, 100_000)) {
            const chunks: Buffer[] = [];
            for await (const chunk of file.read()) {
                chunks.push(chunk);
            }

            files.set(name, Buffer.concat(chunks));
        }

        return files;
    }
    finally {
        await handle.close();
        await rm(folder, { recursive: true });
    }
}
