import { crc32, deflateRawSync } from 'node:zlib';

/** A file in a zip that a test makes; what is given beside its name and content makes the zip wrong. */
export interface ZipPart {
    name: string | Buffer;
    content: string | Buffer;
    stored?: boolean;
    /** instead of the right ones */
    crc?: number;
    size?: number;
    method?: number;
    flags?: number;
    localName?: string;
    /** of Unix, such as 0o120777 for a link */
    mode?: number;
    extra?: Buffer;
    offset?: number;
}

/** A zip of these files, made byte by byte, so that it can be wrong. */
export function zipBytes(parts: readonly ZipPart[], { count = parts.length, before = Buffer.alloc(0), comment = '' } = {}): Buffer {
    const local: Buffer[] = [before];
    const directory: Buffer[] = [];
    let offset = before.length;
    for (const { name, content, stored = false, crc, size, method, flags = 0x800, localName, mode, extra = Buffer.alloc(0), offset: stated } of parts) {
        const bytes = Buffer.from(content);
        const data = stored ? bytes : deflateRawSync(bytes);
        const nameBytes = Buffer.from(name);
        const localBytes = Buffer.from(localName ?? nameBytes);
        const common = Buffer.alloc(22);
        common.writeUInt16LE(20, 0);
        common.writeUInt16LE(flags, 2);
        common.writeUInt16LE(method ?? (stored ? 0 : 8), 4);
        common.writeUInt32LE(crc ?? crc32(bytes), 10);
        common.writeUInt32LE(data.length, 14);
        common.writeUInt32LE(size ?? bytes.length, 18);
        const lengths = (named: Buffer, more: number): Buffer => {
            const two = Buffer.alloc(4);
            two.writeUInt16LE(named.length, 0);
            two.writeUInt16LE(more, 2);
            return two;
        };

        const header = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, lengths(localBytes, 0), localBytes]);
        const rest = Buffer.alloc(14);
        rest.writeUInt32LE(mode === undefined ? 0 : mode * 0x10000, 6);
        rest.writeUInt32LE(stated ?? offset, 10);
        local.push(header, data);
        directory.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, mode === undefined ? 0 : 3]), common, lengths(nameBytes, extra.length), rest, nameBytes, extra);
        offset += header.length + data.length;
    }

    const records = Buffer.concat(directory);
    const end = Buffer.alloc(18);
    end.writeUInt16LE(count, 4);
    end.writeUInt16LE(count, 6);
    end.writeUInt32LE(records.length, 8);
    end.writeUInt32LE(offset, 12);
    end.writeUInt16LE(comment.length, 16);
    return Buffer.concat([...local, records, Buffer.from('PK\u0005\u0006'), end, Buffer.from(comment)]);
}

/** A zip with this as its `project.json`. */
export const projectZip = (file: object): Buffer => zipBytes([{ name: 'project.json', content: JSON.stringify(file) }]);

/** A valid file of a project. */
export const fileOf = (project: object, pages: readonly object[] = []): object => ({ format: 'pagewright-project', version: 1, project, pages });
