/**
 * Most characters of a mail address (RFC 5321 section 4.5.3.1.3, less the angle brackets). The constraints mail_addresses_address_length
 * and mail_addresses_pending_length have the same number.
 */
export const LONGEST_ADDRESS = 254;

/**
 * An address of plain letters: a dot-atom, and a domain with at least one dot (RFC 5321 section 4.1.2). So it has no blank, quote or line
 * break, and cannot be taken for several.
 */
export const mailAddress = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*\.)+[A-Za-z][A-Za-z0-9]*(?:-+[A-Za-z0-9]+)*$/;

export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && mailAddress.test(text);
