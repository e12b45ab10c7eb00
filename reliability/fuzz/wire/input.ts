import type { Random } from './random';

/** Something that is sent over one connection. */
export interface Input {
    /** what is wrong with it, in a word or two */
    kind: string;
    bytes: Buffer;
    /** what the client does then: waits for the other side to close, closes its own half, or breaks the connection off */
    ending: 'wait' | 'end' | 'reset';
    /**
     * What is allowed to come back: `refused` is one 4xx at least and nothing else; `broken` is 4xx, or nothing where there
     * is nobody left to answer; `harmless` is anything but 5xx, as of a read with odd headers.
     */
    answer: 'refused' | 'broken' | 'harmless';
}

/** What inputs are about: an author's project, which none of them may change. */
export interface Subject {
    user: string;
    /** path of a project, a page in it and an element on that */
    project: string;
    page: string;
    element: string;
    /** the author's token */
    token: string;
}

export type Kind = (random: Random, subject: Subject) => Omit<Input, 'kind'>;

/** The head of a request, and its body as it is. Headers are in Latin-1, as they go over the wire. */
export function request(line: string, headers: Readonly<Record<string, string>>, body: Buffer | string = ''): Buffer {
    const common = { Host: 'localhost', Connection: 'close' };
    const named = new Map([...Object.entries(common), ...Object.entries(headers)].map(([name, value]) => [name.toLowerCase(), value]));
    const fields = [...named].map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${line}\r\n${fields.join('')}\r\n`, 'latin1'), Buffer.from(body)]);
}

/** A write by the author, with a body of a stated length. */
export function write(method: string, path: string, { token }: Subject, body: Buffer | string, headers: Readonly<Record<string, string>> = {}): Buffer {
    const bytes = Buffer.from(body);
    return request(`${method} ${path} HTTP/1.1`, { 'Authorization': `token ${token}`, 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers }, bytes);
}

export const refused = (bytes: Buffer): Omit<Input, 'kind'> => ({ bytes, ending: 'wait', answer: 'refused' });

export const harmless = (bytes: Buffer): Omit<Input, 'kind'> => ({ bytes, ending: 'wait', answer: 'harmless' });
