import type { MailingOptions } from '../../accounts/mail/jobs';
import { smtp } from '../../api/outgoing/smtp';
import { retryAfter } from '../../database/jobs/retry';
import { startWorker } from '../../database/jobs/worker';
import { leaseLetter, postponeLetters, releaseLetter } from './letter-queries';
import type { LeasedLetter } from './letter-queries';
import { writtenLetter } from './letter-texts';
import { readNotices } from './reading';
import { MAX_IN_LETTER, MAX_LETTER_ATTEMPTS } from './limits';

/*
 * A letter a day, to whoever wants it, with the notices that are new. They are looked up when it is sent, so it has nothing that its
 * reader may not see by then.
 */

/** Milliseconds between two checks whether a letter is due. */
const EVERY = 60_000;

/** Letters that are sent at a time. */
const MAX_AT_ONCE = 2;

/** Seconds until the next letter of somebody; until the next look, if there was nothing to tell; and until one is tried again. */
const DAY = 24 * 3600;
const HOUR = 3600;
const RETRY = { first: 60, times: 4, longest: 4 * 3600 };

export interface LetterOptions extends MailingOptions {
    /** whether all teach whom no class manages (`TEACHERS=open`) */
    everybody: boolean;
}

/** The path that switches letters off. */
export const OFF_PATH = '/letters/off';

async function sendLetter(letter: LeasedLetter, options: LetterOptions, send: ReturnType<typeof smtp>, signal: AbortSignal): Promise<void> {
    const { db, logger, mail: { origin, site }, everybody, firstRetry: first = RETRY.first } = options;
    const { id, user_id: userId, address, username, language, mailed_from: from, mailed_until: until, attempts, key } = letter;
    const all = await readNotices(db, userId, { everybody });
    const news = all.filter((notice) => !notice.read && BigInt(notice.id) > BigInt(from) && BigInt(notice.id) <= BigInt(until));
    if (news.length === 0) {
        await releaseLetter(db, letter, false, HOUR);
        return;
    }

    const off = `${origin}${OFF_PATH}?key=${key.toString('base64url')}`;
    const [notices, more] = [news.slice(0, MAX_IN_LETTER), Math.max(0, news.length - MAX_IN_LETTER)];
    const text = writtenLetter({ username, language, notices, more, site, links: { site: `${origin}/`, off } });
    // By one click, in the program that shows the mail (RFC 8058).
    const headers = { 'list-unsubscribe': `<${off}>`, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' };
    const sent = await send({ to: address, ...text, headers }, signal);
    if (sent.state !== 'sent') {
        const { state, code, status } = sent;
        logger.info({ letter: id, state, code, status }, 'a letter could not be sent');
    }

    const isTriedAgain = sent.state === 'failed' && attempts < MAX_LETTER_ATTEMPTS;
    await releaseLetter(db, letter, isTriedAgain, isTriedAgain ? retryAfter(attempts, { ...RETRY, first }) : DAY);
}

/**
 * Keeps sending letters.
 * @returns a function that ends it: what is being sent has a moment to arrive
 */
export function keepSendingLetters(options: LetterOptions): () => Promise<void> {
    const { db, logger, mail, ca, timeout, every = EVERY } = options;
    const send = smtp({ ...mail, ca, timeout });
    return startWorker({
        logger, every, failure: 'letters could not be sent, and are tried again', slots: { quick: MAX_AT_ONCE, slow: 0 },
        look: async () => {
            await postponeLetters(db);
            return true;
        },
        claim: () => leaseLetter(db),
        run: (letter, { signal }) => sendLetter(letter, options, send, signal)
    });
}
