import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { hashSecret, newSecret } from '../../api/auth/secrets';
import { smtp } from '../../api/outgoing/smtp';
import type { SmtpOptions } from '../../api/outgoing/smtp';
import type { MailConfig } from '../../config/mail';
import { retryAfter } from '../../database/jobs/retry';
import { startWorker } from '../../database/jobs/worker';
import { answerRequests, dropMail, endMail, findWork, keepLink, leaseMail, linkPurposes, retryMail } from './outbox';
import type { LeasedMail } from './outbox';
import { written } from './texts';

/** Milliseconds between two checks whether there is something to send. */
const EVERY = 1000;

/** Mails that are sent at a time. */
const MAX_AT_ONCE = 4;

/** Seconds until a mail is tried again. */
const RETRY = { first: 20, times: 3, longest: 4 * 3600 };

export interface MailingOptions extends Pick<SmtpOptions, 'ca' | 'timeout'> {
    db: Knex;
    logger: Pick<Logger, 'warn' | 'info'>;
    mail: MailConfig;
    every?: number;
    /** seconds until a mail is tried again the first time, if not the usual ones */
    firstRetry?: number;
}

/** The pages to which links lead. */
const pages = { confirm: '/account/confirm', password: '/new-password' } as const;

const hasLink = (kind: LeasedMail['kind']): kind is keyof typeof pages => linkPurposes.some((purpose) => purpose === kind);

/** The address that a mail leads to, with a secret that is made for each attempt, so that it is nowhere but in the mail; undefined if it is not wanted any more. */
async function linkFor({ id, kind }: LeasedMail, { db, mail: { origin } }: MailingOptions): Promise<string | undefined> {
    if (!hasLink(kind)) {
        return `${origin}/`;
    }

    const secret = newSecret();
    return await keepLink(db, id, hashSecret(secret)) ? `${origin}${pages[kind]}#${secret}` : undefined;
}

async function sendMail(mail: LeasedMail, options: MailingOptions, send: ReturnType<typeof smtp>, signal: AbortSignal): Promise<void> {
    const { db, logger, firstRetry: first = RETRY.first, mail: { site } } = options;
    const { id, kind, attempts } = mail;
    const link = await linkFor(mail, options);
    if (link === undefined) {
        await dropMail(db, id);
        return;
    }

    const sent = await send({ to: mail.address, ...written(mail, { site, link }) }, signal);
    if (sent.state === 'sent') {
        await endMail(db, id, 'sent');
        return;
    }

    const { state, code, status } = sent;
    if (state === 'refused') {
        logger.info({ mail: id, kind, code, status }, 'the mail server refused a mail, which is given up');
        await endMail(db, id, 'refused');
        return;
    }

    logger.warn({ mail: id, kind, code, status }, 'a mail could not be sent, and is tried again');
    await retryMail(db, mail, retryAfter(attempts, { ...RETRY, first }));
}

/**
 * Keeps sending mails.
 * @returns a function that ends it: what is being sent has a moment to arrive
 */
export function keepMailing(options: MailingOptions): () => Promise<void> {
    const { db, logger, mail, ca, timeout, every = EVERY } = options;
    const send = smtp({ ...mail, ca, timeout });
    return startWorker({
        logger, every, failure: 'mails could not be sent, and are tried again', slots: { quick: MAX_AT_ONCE, slow: 0 },
        look: async () => {
            const { asked, due } = await findWork(db);
            if (asked) {
                await answerRequests(db);
            }

            return asked || due;
        },
        claim: () => leaseMail(db),
        run: (leased, { signal }) => sendMail(leased, options, send, signal)
    });
}
