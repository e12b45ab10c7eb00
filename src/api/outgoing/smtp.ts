import type { MailConfig } from '../../config/mail';
import { isMailAddress } from '../../config/mail-address';
import { MAIL_SECONDS } from '../../limits';
import { fieldOf } from '../json/is-object';

export interface Mail {
    /** one address */
    to: string;
    subject: string;
    text: string;
    /** of the text */
    language: string;
    /** further ones, by their names in lower case */
    headers?: Readonly<Record<string, string>>;
}

/** The outcome of a mail. */
export type Sent = { state: 'sent' } | {
    /** whether the server will never take it, or it may be tried again */
    state: 'refused' | 'failed';
    /** for the log: the code of the error, and the status that the server answered. Never what it says, which may name people */
    code: string;
    status: number | null;
}

export interface SmtpOptions extends Pick<MailConfig, 'server' | 'from' | 'origin'> {
    /** certificates to trust in place of those of Node */
    ca?: string | undefined;
    /** milliseconds for all of it */
    timeout?: number;
}

/** Most bytes of an answer of the server. */
const LONGEST_ANSWER = 64 * 1024;

/** Commands whose refusal for good is about this mail, and not about the sender or the settings. */
const ofMail = ['RCPT TO', 'DATA'];

function failureOf(error: unknown): Sent {
    const status = fieldOf(error, 'responseCode');
    const isFinal = fieldOf(error, 'permanent') === true && ofMail.includes(String(fieldOf(error, 'command')));
    return { state: isFinal ? 'refused' : 'failed', code: String(fieldOf(error, 'code')), status: typeof status === 'number' ? status : null };
}

/**
 * Sends mails to a server, each over a connection of its own, within a bounded time. The connection is encrypted, and the certificate valid, unless the settings
 * say otherwise.
 * @returns a function that sends one; the signal ends that early
 */
export function smtp({ server: { host, port, isEncrypted, requireTls, auth }, from, origin, ca, timeout = MAIL_SECONDS * 1000 }: SmtpOptions): (mail: Mail, ending: AbortSignal) => Promise<Sent> {
    // Only where mail is sent; and at the start, since that takes 0.1 seconds.
    const loading = import('nodemailer');
    return async ({ to, subject, text, language, headers }, ending) => {
        // The library would take a list for several addresses.
        if (!isMailAddress(to)) {
            return { state: 'refused', code: 'address', status: null };
        }

        const { createTransport } = await loading;
        const transport = createTransport({
            host, port, secure: isEncrypted, requireTLS: requireTls, tls: { rejectUnauthorized: requireTls, ...ca !== undefined && { ca } }, ...auth !== null && { auth },
            // Not the name of this machine.
            name: new URL(origin).hostname,
            connectionTimeout: timeout, greetingTimeout: timeout, socketTimeout: timeout, dnsTimeout: timeout, maxResponseSize: LONGEST_ANSWER
        });
        try {
            await transport.sendMail({
                from, to: { name: '', address: to }, envelope: { from: from.address, to: [to] }, subject, text, xMailer: false, disableFileAccess: true, disableUrlAccess: true,
                // No answer by a machine is wanted (RFC 3834).
                headers: { 'auto-submitted': 'auto-generated', 'content-language': language, ...headers },
                signal: AbortSignal.any([AbortSignal.timeout(timeout), ending])
            });
            return { state: 'sent' };
        }
        catch (error) {
            return failureOf(error);
        }
    };
}
