import { performance } from 'node:perf_hooks';

import type { Knex } from 'knex';
import type { Logger } from 'pino';

import { addressRule } from '../../api/outgoing/addresses';
import { NotSent, nameServers, post } from '../../api/outgoing/post';
import type { Answer, PostOptions } from '../../api/outgoing/post';
import { retryAfter } from '../../database/jobs/retry';
import { startWorker } from '../../database/jobs/worker';
import type { Slot } from '../../database/jobs/worker';
import { readNow } from '../../database/statements/snapshot';
import { findHandedIn } from '../../rules/handed-in';
import { moveEvents } from './outbox';
import { canSee, findWork, forgetDelivery, leaseWebhook, mayBeTold, nextDelivery, noteDelivered, noteFailed, releaseWebhook } from './sending-queries';
import type { Failure, Leased, Next } from './sending-queries';
import { signedHeaders } from './signature';

/*
 * Sends what waits for webhooks: to one webhook one message at a time, to several webhooks at once. What an instance that was killed had begun is sent again, with the
 * same id.
 */

/** Milliseconds between two checks whether there is something to send. */
const EVERY = 500;

/** Webhooks that are sent to at a time and are quick, as far as is known; and others, whose last attempt failed or took long. */
const SLOTS = { quick: 24, slow: 16 };

/** Milliseconds after which an attempt is slow. */
const SLOW = 1000;

/** Seconds until the first retry of a delivery. */
export const FIRST_RETRY = 5;

/** Seconds in which nothing is sent to a webhook whose attempts fail, at most. */
const LONGEST_PAUSE = 300;

/** Seconds that a receiver can ask to be left alone. */
const LONGEST_WISH = 3600;

const GONE = 410;

export interface SenderOptions {
    db: Knex;
    logger: Pick<Logger, 'warn' | 'info'>;
    /** where to: the setting WEBHOOKS_TO */
    to: readonly string[];
    /** how names are looked up, certificates to trust, and time limit, if not the usual ones */
    post?: Partial<Omit<PostOptions, 'rule'>>;
    every?: number;
    /** `TEACHERS=open` */
    teachersOpen?: boolean;
    /** seconds until a delivery is tried again the first time, if not the usual ones */
    firstRetry?: number;
}

const backoff = (first: number, attempts: number): number => retryAfter(attempts, { first, times: 4, longest: 6 * 3600 });

/** The first digit of a status. */
const hundredsOf = (status: number): number => Math.floor(status / 100);

/** The body of a message, the same in each attempt: `data` is JSON text of an object with fields. */
export function bodyOf({ event, at, data, from_revision: from }: Pick<Next, 'event' | 'at' | 'data' | 'from_revision'>): string {
    return `{"type":"${event}","timestamp":"${at}","data":${from === null ? data : `${data.trimEnd().slice(0, -1)},"from_revision":${from}}`}}`;
}

/** The id of a remix in what a delivery says; undefined if it tells of none. */
function remixIn({ event, data }: Next): string | undefined {
    if (event !== 'project.remixed') {
        return undefined;
    }

    const { remix }: { remix: { id: string } } = JSON.parse(data);
    return remix.id;
}

/** Sends to webhooks. */
class Sender {
    readonly #options: SenderOptions;
    readonly #post: PostOptions;

    constructor(options: SenderOptions) {
        this.#options = options;
        this.#post = { rule: addressRule(options.to), resolve: nameServers(), ...options.post };
    }

    /** Sends one message after the other, as long as there are any. */
    async sendTo(webhook: Leased, slot: Slot): Promise<void> {
        const { db } = this.#options;
        let { token } = webhook;
        while (slot.goesOn()) {
            const next = await nextDelivery(db, webhook.id, token);
            token = next?.token ?? token;
            if (next === undefined || !await this.#send(webhook, next, slot)) {
                break;
            }
        }

        await releaseWebhook(db, webhook.id, token);
    }

    /** Sends one message. @returns whether the next one can follow */
    async #send(webhook: Leased, next: Next, slot: Slot): Promise<boolean> {
        const { db, logger } = this.#options;
        if (!await this.#mayTell(webhook, next)) {
            await forgetDelivery(db, next.id);
            return true;
        }

        const began = performance.now();
        const waiting = setTimeout(() => slot.becomeSlow(), SLOW);
        const outcome = await this.#attempt(next, slot.signal).finally(() => clearTimeout(waiting));
        if (outcome === undefined) {
            return false;
        }

        const duration = Math.round(performance.now() - began);
        if (!(outcome instanceof NotSent) && hundredsOf(outcome.status) === 2) {
            await noteDelivered(db, webhook.id, next.id, outcome.status, duration, duration >= SLOW);
            return true;
        }

        const why = await noteFailed(db, webhook.id, next.id, this.#failure(webhook, next, outcome, duration));
        if (why !== undefined) {
            logger.info({ webhook: webhook.id, why }, 'a webhook was switched off');
        }

        return false;
    }

    async #mayTell({ user_id: userId }: Leased, next: Next): Promise<boolean> {
        const { db, teachersOpen = false } = this.#options;
        const { project_id: project, event, data } = next;
        if (project === null || userId === null) {
            return true;
        }

        if (event === 'work.handed_in') {
            const { project: { user_id: pupil } }: { project: { user_id: string } } = JSON.parse(data);
            return userId === pupil || await findHandedIn(readNow(db), [pupil, project], String(next.revision), { id: userId, everybody: teachersOpen }) !== undefined;
        }

        const remix = remixIn(next);
        return await mayBeTold(db, project, userId) && (remix === undefined || await canSee(db, remix, userId));
    }

    /** @returns undefined if it was cut off because the service ends */
    async #attempt(next: Next, signal: AbortSignal): Promise<Answer | NotSent | undefined> {
        const body = bodyOf(next);
        const secrets = next.previous_secret === null ? [next.secret] : [next.secret, next.previous_secret];
        const headers = { 'content-type': 'application/json', 'user-agent': 'Pagewright', ...signedHeaders(next.message, Date.now(), body, secrets) };
        try {
            return await post(new URL(next.url), headers, body, this.#post, signal);
        }
        catch (error) {
            return error instanceof NotSent ? error : undefined;
        }
    }

    #failure({ failures }: Leased, { attempts }: Next, outcome: Answer | NotSent, duration: number): Failure {
        const first = this.#options.firstRetry ?? FIRST_RETRY;
        const [status, error, wish] = outcome instanceof NotSent ? [null, outcome.message, 0] : [outcome.status, wordsFor(outcome.status), Math.min(outcome.retryAfter ?? 0, LONGEST_WISH)];
        return {
            status, error, duration, again: Math.max(backoff(first, attempts), wish), pause: Math.max(Math.min(backoff(first, failures + 1), LONGEST_PAUSE), wish), gone: status === GONE
        };
    }
}

const wordsFor = (status: number): string => (hundredsOf(status) === 3 ? `The answer was ${status}. Redirects are not followed: give the webhook the address that they lead to.` : `The answer was ${status}, and only 2xx says that it arrived.`);

/**
 * Keeps sending.
 * @returns a function that ends it: what is being sent has a moment to arrive
 */
export function keepSending(options: SenderOptions): () => Promise<void> {
    const { db, logger, every = EVERY } = options;
    const sender = new Sender(options);
    return startWorker({
        logger, every, failure: 'webhooks could not be sent, and are tried again', slots: SLOTS,
        look: async (signal) => {
            const { watched, due } = await findWork(db);
            const isMoved = watched && await moveEvents(db, signal);
            return isMoved || due;
        },
        claim: (free) => leaseWebhook(db, free),
        isSlow: ({ slow }) => slow,
        run: (webhook, slot) => sender.sendTo(webhook, slot)
    });
}
