import type { Random } from './random';

/** What is sent over one connection. */
export interface Input {
    /** its kind of error, in a word or two */
    kind: string;
    bytes: Buffer;
    /** what the client does afterwards: waits for the server to close, closes its own half, or resets the connection */
    ending: 'wait' | 'end' | 'reset';
    /**
     * The allowed responses: `refused` means one 4xx or more and nothing else; `broken` means 4xx, or nothing if the request is
     * incomplete; `harmless` means anything but 5xx, as for a read with odd headers.
     */
    answer: 'refused' | 'broken' | 'harmless';
}

/** The target of the inputs: an author's project, which none of them may change. */
export interface Subject {
    user: string;
    /** paths of a project, one of its pages, and an element on it */
    project: string;
    page: string;
    element: string;
    comment: string;
    /** the author's token */
    token: string;
}

export type Kind = (random: Random, subject: Subject) => Omit<Input, 'kind'>;

/** The bytes of a request. Headers are sent as Latin-1, the body unchanged. */
export function request(line: string, headers: Readonly<Record<string, string>>, body: Buffer | string = ''): Buffer {
    const common = { Host: 'localhost', Connection: 'close' };
    const named = new Map([...Object.entries(common), ...Object.entries(headers)].map(([name, value]) => [name.toLowerCase(), value]));
    const fields = [...named].map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`${line}\r\n${fields.join('')}\r\n`, 'latin1'), Buffer.from(body)]);
}

/** A write by the author, with the correct length of its body. */
export function write(method: string, path: string, { token }: Subject, body: Buffer | string, headers: Readonly<Record<string, string>> = {}): Buffer {
    const bytes = Buffer.from(body);
    return request(`${method} ${path} HTTP/1.1`, { 'Authorization': `token ${token}`, 'Content-Type': 'application/json', 'Content-Length': String(bytes.length), ...headers }, bytes);
}

export const refused = (bytes: Buffer): Omit<Input, 'kind'> => ({ bytes, ending: 'wait', answer: 'refused' });

export const harmless = (bytes: Buffer): Omit<Input, 'kind'> => ({ bytes, ending: 'wait', answer: 'harmless' });
