import { text } from 'node:stream/consumers';

import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';

import type { MailConfig } from '../../src/config/mail';
import { listen } from './host';

/** A mail that the server has got. */
export interface ReceivedMail {
    /** of the envelope */
    from: string;
    to: readonly string[];
    /** by their names in lower case, decoded */
    headers: ReadonlyMap<string, string>;
    text: string;
    /** as it came */
    source: string;
    session: SMTPServerSession;
    /** milliseconds since 1970 */
    at: number;
}

export interface MailServer {
    port: number;
    received: ReceivedMail[];
    /** how many connections there were */
    connections(): number;
    /** What it answers to a recipient, as a status; `hang` for nothing at all. 250 if nothing else was said. */
    toRecipient: (address: string) => number | 'hang';
    /** what it answers to a mail, after it got all of it */
    toMail: () => number | 'hang';
    stop(): Promise<void>;
}

/** So that there are routes for mail in tests. Nothing is sent unless a test begins to. */
export const mailSettings: MailConfig = {
    server: { host: '127.0.0.1', port: 1, isEncrypted: false, requireTls: false, auth: null }, from: { name: 'Our pages', address: 'pages@pages.example' }, origin: 'https://pages.example', site: 'Our pages'
};

/** The same for this server. */
export const mailTo = ({ port }: Pick<MailServer, 'port'>, more: Partial<MailConfig['server']> = {}): MailConfig => ({ ...mailSettings, server: { ...mailSettings.server, port, ...more } });

/** Bytes of quoted-printable (RFC 2045 section 6.7), in which `_` is a blank in headers. */
const quotedPrintable = (given: string): Buffer => Buffer.from(given.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16))), 'latin1');

const decodedHeader = (value: string): string => value.replace(/\?=\s+=\?/g, '?==?').replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_match, how: string, words: string) => (how.toUpperCase() === 'B' ? Buffer.from(words, 'base64') : quotedPrintable(words.replaceAll('_', ' '))).toString('latin1'));

/** A mail, read as programs do (RFC 5322, RFC 2047). */
function parsed(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
    const end = source.indexOf('\r\n\r\n');
    const lines = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ').split('\r\n');
    const headers = new Map(lines.map((line): [string, string] => {
        const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
        return [name.toLowerCase(), Buffer.from(decodedHeader(value), 'latin1').toString()];
    }));
    const body = source.slice(end + 4);
    const encoding = headers.get('content-transfer-encoding');
    const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : encoding === 'quoted-printable' ? quotedPrintable(body) : Buffer.from(body);
    return { headers, text: bytes.toString().replaceAll('\r\n', '\n') };
}

/** A server that takes mails, on this machine. Without a certificate of its own it offers no encryption. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
    let connections = 0;
    const refusal = (responseCode: number): Error => Object.assign(new Error(`No <ada@secret.example>, ${responseCode}`), { responseCode });
    const answered = (status: number | 'hang', callback: (error?: Error) => void): void => {
        if (status !== 'hang') {
            callback(status < 300 ? undefined : refusal(status));
        }
    };

    const server = new SMTPServer({
        authOptional: true, disabledCommands: options.cert === undefined ? ['STARTTLS'] : [], disableReverseLookup: true, closeTimeout: 10, logger: false,
        onConnect: (_session, callback) => {
            ++connections;
            callback();
        },
        onRcptTo: ({ address }, _session, callback) => answered(mails.toRecipient(address), callback),
        onData: (stream: SMTPServerDataStream, session, callback) => {
            void text(stream).then((source) => {
                const { mailFrom, rcptTo } = session.envelope;
                const status = mails.toMail();
                if (typeof status === 'number' && status < 300) {
                    mails.received.push({ from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address), source, session: { ...session }, at: Date.now(), ...parsed(source) });
                }

                answered(status, callback);
            });
        },
        ...options
    });
    server.on('error', () => undefined);
    const mails: MailServer = {
        port: 0,
        received: [],
        connections: () => connections,
        toRecipient: () => 250,
        toMail: () => 250,
        stop: () => new Promise((resolve) => {
            server.close(() => resolve());
        })
    };
    mails.port = await listen(server.server);
    return mails;
}

/** The key of the link in a mail. */
export function keyIn({ text: words }: Pick<ReceivedMail, 'text'>): string {
    const [, key] = /#([A-Za-z0-9_-]{43})\n/.exec(words) ?? [];
    if (key === undefined) {
        throw new Error(`There is no link in: ${words}`);
    }

    return key;
}
