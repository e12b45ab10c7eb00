import { createHmac } from 'node:crypto';

/** Random bytes of a secret. */
export const SECRET_BYTES = 32;

/** A secret as its owner sees it. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/**
 * The headers of a message (Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks).
 * @param message the same in each attempt
 * @param at milliseconds since 1970
 * @param secrets each of them signs, so that a receiver may know any one
 */
export function signedHeaders(message: string, at: number, body: string, secrets: readonly Buffer[]): Record<string, string> {
    const timestamp = String(Math.floor(at / 1000));
    const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(`${message}.${timestamp}.${body}`).digest('base64')}`);
    return { 'webhook-id': message, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
