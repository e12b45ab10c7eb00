import { operations } from '../../api/description/operation';
import { guarded } from '../../api/errors/registry';
import { addressBody, passwordAsked, passwordMade } from './json';
import { ADDRESS_LINK_HOURS, MAX_ACCOUNTS_OF_ADDRESS, MAX_MAILS_AN_HOUR, MAX_MAILS_A_DAY, PASSWORD_LINK_MINUTES } from '../../limits';

export const mailOperation = operations('Mail', {
    getAddress: {
        summary: 'Read one\'s own mail address',
        notes: 'Nobody else can read it. Where the service sends no mail, all of this is 404 `mail_off`.',
        answers: { 200: addressBody('success') },
        errors: [...guarded, 'not_local', 'mail_off']
    },
    changeAddress: {
        summary: 'Give a mail address',
        notes: `Sends a mail with a link, which works for ${ADDRESS_LINK_HOURS} hours. Until it was followed, mails go to the address before, if there is one. Needs the password, since whoever gets the mails can set another one. At most ${MAX_MAILS_AN_HOUR} such mails an hour, and ${MAX_MAILS_A_DAY} a day, go out for an account, and to a mailbox.`,
        answers: { 200: addressBody('updated') },
        errors: [...guarded, 'not_local', 'mail_off', 'wrong_password', 'mail_limit', 'mail_full', 'managed_account']
    },
    confirmAddress: {
        summary: 'Confirm a mail address',
        notes: `Takes the key of the link in the mail, once. Only the account that asked for the mail can. A mail to the address before says that it was replaced. ${MAX_ACCOUNTS_OF_ADDRESS} accounts can have the same address.`,
        answers: { 200: addressBody('updated') },
        errors: [...guarded, 'not_local', 'mail_off', 'link_invalid', 'address_limit', 'managed_account']
    },
    deleteAddress: {
        summary: 'Remove one\'s own mail address',
        notes: 'Removes the one that is confirmed, and the one that is to be. All links in mails end. A mail to the address says that it was removed.',
        answers: { 200: addressBody('deleted') },
        errors: [...guarded, 'not_local', 'mail_off']
    },
    askForPassword: {
        summary: 'Ask for a new password by mail',
        notes: `The response is always the same, and takes the same time, whether there is such an account or not. If there is one with a confirmed address and a password, a link is sent to that address; if several accounts have the address, one for each. At most ${MAX_MAILS_AN_HOUR} such mails an hour, and ${MAX_MAILS_A_DAY} a day, go to a mailbox; further ones are not sent.`,
        answers: { 200: passwordAsked },
        errors: ['not_local', 'mail_off', 'mail_full']
    },
    makePassword: {
        summary: 'Choose a new password',
        notes: `Takes the key of the link in the mail, which works once, for ${PASSWORD_LINK_MINUTES} minutes. All tokens of the account are revoked at once, those of scripts too, apps have to ask again to be let in, and all other links end. Nobody is signed in by it.`,
        answers: { 200: passwordMade },
        errors: ['not_local', 'mail_off', 'link_invalid']
    }
});
