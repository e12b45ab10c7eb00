import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { hashSecret, newSecret } from '../../api/auth/secrets';
import { repeat } from '../../api/concurrency/repeat';
import { smtp } from '../../api/outgoing/smtp';
import type { SmtpOptions } from '../../api/outgoing/smtp';
import type { MailConfig } from '../../config/mail';
import { errorMessage } from '../../database/statements/error-message';
import { answerRequests, dropMail, endMail, findWork, keepLink, leaseMail, linkPurposes, retryMail } from './outbox';
import type { LeasedMail } from './outbox';
import { written } from './texts';

/*
 * Sends what is in the outbox. Any number of instances can do this: a mail is leased by the one that sends it, and what one that was killed had begun is sent
 * again, with another link.
 */

/** Milliseconds between two checks whether there is something to send. */
const EVERY = 1000;

/** Mails that are sent at a time. */
const MAX_AT_ONCE = 4;

/** Milliseconds that attempts may go on after the service was asked to end. */
const GRACE = 3000;

/** Seconds until a mail is tried again: 20 after the first time, then three times as long each time, at most 4 hours; about, so that many do not come together. */
const FIRST_RETRY = 20;
const LAST_RETRY = 4 * 3600;

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

class MailSender {
    readonly #options: MailingOptions;
    readonly #send: ReturnType<typeof smtp>;
    readonly #cut = new AbortController();
    readonly #running = new Set<Promise<void>>();

    constructor(options: MailingOptions) {
        const { mail, ca, timeout } = options;
        this.#options = options;
        this.#send = smtp({ ...mail, ca, timeout });
    }

    /** Answers requests for a new password, and begins to send. @param signal after that, each goes on to no further mail */
    async look(signal: AbortSignal): Promise<void> {
        const { db } = this.#options;
        const { asked, due } = await findWork(db);
        while (asked && await answerRequests(db) > 0) {
            // There may be more.
        }

        while ((asked || due) && this.#running.size < MAX_AT_ONCE) {
            const sending = this.#sendAll(signal).finally(() => this.#running.delete(sending));
            this.#running.add(sending);
        }
    }

    /** Waits for what is being sent, a while. */
    async end(): Promise<void> {
        const timer = setTimeout(() => this.#cut.abort(), GRACE);
        await Promise.all(this.#running);
        clearTimeout(timer);
    }

    /** Sends one mail after the other, as long as there are any. */
    async #sendAll(signal: AbortSignal): Promise<void> {
        const { db, logger } = this.#options;
        try {
            for (let mail = await leaseMail(db); mail !== undefined; mail = signal.aborted ? undefined : await leaseMail(db)) {
                await this.#sendOne(mail);
            }
        }
        catch (error) {
            // Of the database. The mail is sent when its lease has expired.
            logger.warn(`mails could not be sent, and are tried again: ${errorMessage(error)}`);
        }
    }

    async #sendOne(mail: LeasedMail): Promise<void> {
        const { db, logger, firstRetry = FIRST_RETRY, mail: { site } } = this.#options;
        const { id, kind, attempts } = mail;
        const link = await this.#link(mail);
        if (link === undefined) {
            await dropMail(db, id);
            return;
        }

        const sent = await this.#send({ to: mail.address, ...written(mail, { site, link }) }, this.#cut.signal);
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
        await retryMail(db, id, Math.min(firstRetry * 3 ** (attempts - 1), LAST_RETRY) * (0.75 + Math.random() / 2));
    }

    /** The address that a mail leads to; undefined if it is not wanted any more. */
    async #link({ id, kind }: LeasedMail): Promise<string | undefined> {
        const { db, mail: { origin } } = this.#options;
        if (!hasLink(kind)) {
            return `${origin}/`;
        }

        const secret = newSecret();
        return await keepLink(db, id, hashSecret(secret)) ? `${origin}${pages[kind]}#${secret}` : undefined;
    }
}

/**
 * Keeps sending mails.
 * @returns a function that ends it: what is being sent has a moment to arrive
 */
export function keepMailing(options: MailingOptions): () => Promise<void> {
    const sender = new MailSender(options);
    const endLooking = repeat((signal) => sender.look(signal), options.every ?? EVERY, options.logger, 'mails could not be sent, and are tried again');
    return async () => {
        await endLooking();
        await sender.end();
    };
}
