import { PagewrightError } from '../../client/src/index.js';
import { MAX_CLASSES, MAX_CLASS_DEVICES, MAX_COLLECTED, MAX_MEMBERS, MAX_PUPILS, MAX_TEACHERS } from '../../src/limits';
import type { Translate } from '../../src/site/text-options';
import { inRegion } from '../region';

const LATER = new Set([408, 502, 503, 504]);

/** Why something cannot be done, in the reader's language already. */
export class Refusal extends Error {}

/** The text of an error in the reader's language, with what to do next. */
export function problemText(t: Translate, language: string, error: unknown): string {
    if (error instanceof Refusal) {
        return error.message;
    }

    if (!(error instanceof PagewrightError)) {
        // `fetch` fails with a TypeError if there is no connection.
        return error instanceof TypeError ? t('error.network') : t('error.other', { message: String(error instanceof Error ? error.message : error) });
    }

    if (error.code === 'suspended' && error.suspension !== undefined) {
        const { reason, until } = error.suspension;
        return until === null ? t('error.suspended', { reason }) : t('error.suspended_until', { reason, until: new Intl.DateTimeFormat(inRegion(language), { dateStyle: 'medium' }).format(new Date(until)) });
    }

    if (error.status === 429) {
        return t('error.rate_limited', { count: Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60)) });
    }

    // A code without a text of its own is shown with the words of the service.
    const key = `error.${error.code}`;
    const text = t(key, { collected: MAX_COLLECTED, members: MAX_MEMBERS, classes: MAX_CLASSES, devices: MAX_CLASS_DEVICES, pupils: MAX_PUPILS, teachers: MAX_TEACHERS });
    if (text !== key) {
        return text;
    }

    const [first] = error.details;
    return LATER.has(error.status) ? t('error.later') : t('error.other', { message: first === undefined ? error.message : `${first.path}: ${first.message}` });
}
