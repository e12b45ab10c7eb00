import { hashSecret } from '../../api/auth/secrets';

/** The key of an address, by which its accounts are found: upper and lower case do not matter. Mails go to the address as its owner wrote it, never to what somebody else asked with. */
export const addressKey = (address: string): string => address.toLowerCase();

/**
 * A hash of the mailbox that an address probably leads to, by which mails are counted: many providers deliver `a.da+news@…` to `ada@…`. So
 * nobody can flood it by spelling its address in several ways.
 */
export function mailboxOf(address: string): Buffer {
    const [local = '', domain = ''] = addressKey(address).split('@');
    return hashSecret(`${local.replace(/\+.*/, '').replaceAll('.', '')}@${domain}`);
}
